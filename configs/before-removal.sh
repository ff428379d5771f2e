#!/bin/sh
# Run by the package before its files go. Debian says remove or upgrade, Red Hat
# says how many versions will be left. Only a removal stops the agent, which
# drains first; an upgrade leaves it running.
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now evenkeel.service || true
	fi
	;;
esac
