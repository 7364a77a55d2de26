// Package acceptance runs real OpenTofu or Terraform with the provider against a real server of Plat.
//
// `npm run test:terraform` in the repository of Plat sets what the tests need:
//
//   - PLAT_TERRAFORM: the binary of OpenTofu or Terraform
//   - PLAT_PROVIDER: the folder with the built provider
//   - PLAT_ROOT: the repository of Plat, whose server the tests start
package acceptance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startMax is how long a server may take to start, and commandMax how long a command may run.
const (
	startMax   = time.Minute
	commandMax = 2 * time.Minute
)

// need returns a variable of the environment. Without it the test is skipped, as in a clone of the provider alone.
func need(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Skipf("%s is not set: run `npm run test:terraform` in the repository of Plat", name)
	}
	return value
}

// server is a running server of Plat.
type server struct {
	t       *testing.T
	url     string
	command *exec.Cmd
	input   io.Writer
	lines   chan string
}

// startServer starts the test server, whose clock a test can move and whose scheduled runs it starts.
func startServer(t *testing.T, args ...string) *server {
	t.Helper()
	return start(t, append([]string{"test/terraform/server.ts"}, args...)...)
}

// start starts a program of the repository that serves Plat.
func start(t *testing.T, args ...string) *server {
	t.Helper()
	root := need(t, "PLAT_ROOT")
	command := exec.Command("node", append([]string{"--import", "tsx"}, args...)...)
	command.Dir = root
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	must(t, err)
	output, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	s := &server{t: t, command: command, input: input, lines: make(chan string, 100)}
	go func() {
		defer close(s.lines)
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			s.lines <- scanner.Text()
		}
	}()
	t.Cleanup(s.kill)
	s.url = strings.TrimPrefix(s.await("Plat listens on "), "Plat listens on ")
	return s
}

// await returns the next line with a beginning.
func (s *server) await(beginning string) string {
	s.t.Helper()
	late := time.After(startMax)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("the server ended before it said %q", beginning)
			}
			if strings.HasPrefix(line, beginning) {
				return line
			}
		case <-late:
			s.t.Fatalf("the server did not say %q within %s", beginning, startMax)
		}
	}
}

// do gives the test server an order, and waits for its end.
func (s *server) do(order string) {
	s.t.Helper()
	_, err := fmt.Fprintln(s.input, order)
	must(s.t, err)
	s.await("done " + order)
}

// kill ends the server at once, in the middle of whatever it does.
func (s *server) kill() {
	if s.command.ProcessState != nil {
		return
	}
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}

// call sends a request to the server, and decodes the answer.
func (s *server) call(method, path string, body any, into any) int {
	s.t.Helper()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		must(s.t, err)
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, s.url+path, sent)
	must(s.t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	must(s.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(s.t, err)
	if into != nil {
		must(s.t, json.Unmarshal(text, into))
	} else if response.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %s", method, path, text)
	}
	return response.StatusCode
}

// pool creates a pool. The process that writes it acts on it at once.
func (s *server) pool(name string, fields map[string]any) {
	s.t.Helper()
	s.call(http.MethodPut, "/v1/pools/"+name, fields, nil)
}

// addressesOf returns the addresses that a handle has.
func (s *server) addressesOf(handle string) []string {
	s.t.Helper()
	var held struct {
		Addresses []struct{ Address string }
	}
	s.call(http.MethodGet, "/v1/handles/"+handle, nil, &held)
	var addresses []string
	for _, each := range held.Addresses {
		addresses = append(addresses, each.Address)
	}
	return addresses
}

// workspace is a folder with a configuration and a state.
type workspace struct {
	t      *testing.T
	folder string
	env    []string
}

// newWorkspace makes a workspace whose provider calls an endpoint.
func newWorkspace(t *testing.T, endpoint string) *workspace {
	t.Helper()
	w := &workspace{t: t, folder: t.TempDir()}
	rc := filepath.Join(w.folder, "tofu.rc")
	write(t, rc, fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"plat-ipam/plat\" = %q\n  }\n  direct {}\n}\n", need(t, "PLAT_PROVIDER")))
	w.env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+rc, "PLAT_ENDPOINT="+endpoint, "CHECKPOINT_DISABLE=1")
	write(t, filepath.Join(w.folder, "versions.tf"), "terraform {\n  required_providers {\n    plat = {\n      source = \"plat-ipam/plat\"\n    }\n  }\n}\n")
	return w
}

// config replaces the configuration.
func (w *workspace) config(text string) {
	w.t.Helper()
	write(w.t, filepath.Join(w.folder, "main.tf"), text)
}

// run runs a command that must succeed, and returns its output.
func (w *workspace) run(args ...string) string {
	w.t.Helper()
	output, err := w.try(args...)
	if err != nil {
		w.t.Fatalf("%s: %s\n%s", strings.Join(args, " "), err, output)
	}
	return output
}

// try runs a command, and returns its output.
func (w *workspace) try(args ...string) (string, error) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), commandMax)
	defer cancel()
	command := exec.CommandContext(ctx, need(w.t, "PLAT_TERRAFORM"), append(args, "-no-color")...)
	command.Dir = w.folder
	command.Env = w.env
	output, err := command.CombinedOutput()
	return string(output), err
}

// apply applies the configuration.
func (w *workspace) apply(args ...string) string {
	w.t.Helper()
	return w.run(append([]string{"apply", "-auto-approve", "-input=false"}, args...)...)
}

// isSettled fails the test if a plan has a change.
func (w *workspace) isSettled() {
	w.t.Helper()
	output, err := w.try("plan", "-detailed-exitcode", "-input=false")
	if err != nil {
		w.t.Fatalf("the plan has changes: %s\n%s", err, output)
	}
}

// plan returns the text of a plan that has changes.
func (w *workspace) plan(args ...string) string {
	w.t.Helper()
	output, err := w.try(append([]string{"plan", "-detailed-exitcode", "-input=false"}, args...)...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		w.t.Fatalf("the plan has no changes: %v\n%s", err, output)
	}
	return output
}

// resource returns the attributes of a resource in the state.
func (w *workspace) resource(address string) map[string]any {
	w.t.Helper()
	var state struct {
		Values struct {
			RootModule struct {
				Resources []struct {
					Address string
					Values  map[string]any
				}
			} `json:"root_module"`
		}
	}
	must(w.t, json.Unmarshal([]byte(w.run("show", "-json")), &state))
	for _, each := range state.Values.RootModule.Resources {
		if each.Address == address {
			return each.Values
		}
	}
	w.t.Fatalf("the state has no %s", address)
	return nil
}

// forget removes the state, as a crash before it was written does.
func (w *workspace) forget() {
	w.t.Helper()
	must(w.t, os.Remove(filepath.Join(w.folder, "terraform.tfstate")))
}

// edit changes the state, as a run that is interrupted leaves it.
func (w *workspace) edit(change func(state map[string]any)) {
	w.t.Helper()
	path := filepath.Join(w.folder, "terraform.tfstate")
	text, err := os.ReadFile(path)
	must(w.t, err)
	var state map[string]any
	must(w.t, json.Unmarshal(text, &state))
	change(state)
	text, err = json.Marshal(state)
	must(w.t, err)
	write(w.t, path, string(text))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contains fails the test if a text lacks another one.
func contains(t *testing.T, text, part string) {
	t.Helper()
	// OpenTofu wraps the lines of its errors, and draws a bar at their left.
	if !strings.Contains(flat(text), flat(part)) {
		t.Fatalf("the output lacks %q:\n%s", part, text)
	}
}

func flat(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(text)), " ")
}

func equal[Value comparable](t *testing.T, what string, actual, expected Value) {
	t.Helper()
	if actual != expected {
		t.Fatalf("%s: %v in place of %v", what, actual, expected)
	}
}

// token is that of a server with one.
const token = "0123456789abcdef0123456789abcdef"

// secret returns a file with the token.
func secret(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	write(t, file, token)
	return file
}
