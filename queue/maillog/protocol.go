package maillog

import "bytes"

// String is the protocol's word, as Exchange's folders have it: "Mapi".
func (p Protocol) String() string {
	switch p {
	case MAPI:
		return "Mapi"
	case RPC:
		return "RpcHttp"
	case EWSProtocol:
		return "Ews"
	case EAS:
		return "Eas"
	case OWA:
		return "Owa"
	case ECP:
		return "Ecp"
	case OAB:
		return "Oab"
	case Autodiscover:
		return "Autodiscover"
	case PowerShell:
		return "PowerShell"
	case REST:
		return "Rest"
	}
	return ""
}

// ofPath is the protocol of a path, by its first folder, whatever its letters'
// case. Some balancers put "/health" in front.
func ofPath(path []byte) Protocol {
	if len(path) == 0 || path[0] != '/' {
		return NoProtocol
	}
	first, rest := folder(path[1:])
	p := ofFolder(first)
	if p == NoProtocol && bytes.EqualFold(first, []byte("health")) {
		first, _ = folder(rest)
		p = ofFolder(first)
	}
	return p
}

// folder cuts a path at its first slash, or at what ends a path.
func folder(path []byte) (first, rest []byte) {
	for i, c := range path {
		switch c {
		case '/':
			return path[:i], path[i+1:]
		case '?', ';':
			return path[:i], nil
		}
	}
	return path, nil
}

// ofFolder is the protocol of a virtual directory, or of the word of it that
// HttpProxy has.
func ofFolder(name []byte) Protocol {
	var lower [len("microsoft-server-activesync")]byte
	if len(name) > len(lower) {
		return NoProtocol
	}
	for i, c := range name {
		if c-'A' < 26 {
			c |= 0x20
		}
		lower[i] = c
	}
	switch string(lower[:len(name)]) {
	case "mapi":
		return MAPI
	case "rpc", "rpcwithcert", "rpchttp":
		return RPC
	case "ews":
		return EWSProtocol
	case "microsoft-server-activesync", "eas":
		return EAS
	case "owa", "owacalendar":
		return OWA
	case "ecp":
		return ECP
	case "oab":
		return OAB
	case "autodiscover":
		return Autodiscover
	case "powershell", "powershell-liveid", "remotepowershell":
		return PowerShell
	case "api", "rest":
		return REST
	}
	return NoProtocol
}
