// Command plat-cni is the IPAM plugin of CNI for a node with an agent. It passes the commands of a container runtime to
// the agent, and prints what the agent answers. It uses nothing but the standard library of Go, so that it is one static
// file that starts at once.
//
// https://www.cni.dev/docs/spec/
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

const (
	// Its folder outlives a reboot, because commands are left behind there.
	socketDefault = "/var/lib/plat-agent/agent.sock"
	// The agent ends a command after 60 s.
	answerTimeMax = 65 * time.Second
	// A configuration has some KB.
	bytesMax = 1_000_000
	// The commands that may wait for an agent.
	deletesMax = 10_000
)

// The codes of errors that the plugin returns itself. The others are those of the agent.
const (
	codeInvalidEnvironment = 4
	codeDecoding           = 6
	codeTryAgainLater      = 11
	codeNotAvailable       = 50
)

// supportedVersions are those of the agent, the oldest first. A runtime asks for them before there is one.
var supportedVersions = []string{"0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"}

// request is a command of the runtime, as the agent takes it.
type request struct {
	Command     string          `json:"command"`
	ContainerID string          `json:"containerId"`
	IfName      string          `json:"ifName"`
	Args        string          `json:"args"`
	Config      json.RawMessage `json:"config"`
}

// config is the part of a network configuration that the plugin reads itself.
type config struct {
	CNIVersion string `json:"cniVersion"`
	Name       string `json:"name"`
	IPAM       struct {
		Socket string `json:"socket"`
	} `json:"ipam"`
}

// cniError is an error as a plugin prints it.
type cniError struct {
	CNIVersion string `json:"cniVersion"`
	Code       int    `json:"code"`
	Msg        string `json:"msg"`
	Details    string `json:"details,omitempty"`
}

func main() {
	out, isDone := run(os.Getenv, os.Stdin)
	os.Stdout.Write(out)
	if !isDone {
		os.Exit(1)
	}
}

// run carries out a command, and returns what to print, and whether the command succeeded.
func run(variable func(string) string, stdin io.Reader) ([]byte, bool) {
	version := supportedVersions[len(supportedVersions)-1]
	failed := func(code int, msg, details string) ([]byte, bool) {
		return printed(cniError{version, code, msg, details}), false
	}
	text, err := io.ReadAll(io.LimitReader(stdin, bytesMax+1))
	if err != nil {
		return failed(codeDecoding, "The network configuration could not be read.", err.Error())
	}
	if len(text) > bytesMax {
		return failed(codeDecoding, fmt.Sprintf("The network configuration has more than %d bytes.", bytesMax), "")
	}
	var read config
	if err := json.Unmarshal(text, &read); err != nil {
		return failed(codeDecoding, "The network configuration is not JSON: "+err.Error(), "")
	}
	if read.CNIVersion != "" {
		version = read.CNIVersion
	}
	asked := request{
		Command:     variable("CNI_COMMAND"),
		ContainerID: variable("CNI_CONTAINERID"),
		IfName:      variable("CNI_IFNAME"),
		Args:        variable("CNI_ARGS"),
		Config:      text,
	}
	if asked.Command == "VERSION" {
		return printed(map[string]any{"cniVersion": version, "supportedVersions": supportedVersions}), true
	}
	socket := read.IPAM.Socket
	if socket == "" {
		socket = socketDefault
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return failed(codeDecoding, "The command cannot be sent.", err.Error())
	}
	answer, isDone, err := send(socket, body)
	if err == nil {
		return answer, isDone
	}
	msg := fmt.Sprintf("The agent of Plat at %s does not answer.", socket)
	switch asked.Command {
	case "DEL":
		// The runtime forgets the container, so that somebody else has to remember it.
		if !plain.MatchString(asked.ContainerID) || !plain.MatchString(asked.IfName) {
			return failed(codeInvalidEnvironment, "CNI_CONTAINERID or CNI_IFNAME is no name.", "")
		}
		if err := leave(filepath.Join(filepath.Dir(socket), "deletes"), fileOf(asked, read.Name), body); err != nil {
			return failed(codeTryAgainLater, msg, err.Error())
		}
		return nil, true
	case "STATUS":
		return failed(codeNotAvailable, msg, err.Error())
	default:
		return failed(codeTryAgainLater, msg, err.Error())
	}
}

// send passes a command to the agent. It fails if there is no agent that answers.
func send(socket string, body []byte) (answer []byte, isDone bool, err error) {
	client := http.Client{
		Timeout: answerTimeMax,
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "unix", socket)
			},
		},
	}
	response, err := client.Post("http://agent/v1/cni", "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	if err != nil {
		return nil, false, err
	}
	isDone = response.StatusCode == http.StatusOK
	if !isDone && !json.Valid(answer) {
		return nil, false, fmt.Errorf("it answered with the status %d", response.StatusCode)
	}
	return answer, isDone, nil
}

// fileOf returns the name of the file of a command that is left behind. Neither an id nor an interface has the character
// between its parts, so no two attachments share a file. A later network of one attachment must not take the file of an
// earlier one, whose address would stay assigned. The name of a network can be as long as that of a file.
func fileOf(asked request, network string) string {
	digest := sha256.Sum256([]byte(network))
	return asked.ContainerID + "~" + asked.IfName + "~" + hex.EncodeToString(digest[:8])
}

// leave writes a command into a file, whole, for an agent that comes later.
func leave(folder, name string, body []byte) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	if len(entries) >= deletesMax {
		return fmt.Errorf("%s has %d files already, so no more are written", folder, len(entries))
	}
	temporary, err := os.CreateTemp(folder, ".new-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(body)
	// A file that has its name must be whole, also after a power cut.
	err = errors.Join(err, temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), filepath.Join(folder, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

// plain is what the specification lets the id of a container be. A file must not get its name from anything else.
var plain = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]*$`)

func printed(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return append(text, '\n')
}
