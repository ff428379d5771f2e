#!/bin/sh
# Run by the package after its files came or went: systemd is to read its units
# again. Nothing is started.
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
