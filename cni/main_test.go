package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// listening starts an agent that answers every request the same, and returns its socket and what it was sent.
func listening(t *testing.T, status int, answer string) (string, *[]request) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "agent.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var sent []request
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var read request
		if r.Method != "POST" || r.URL.Path != "/v1/cni" {
			t.Errorf("the request is %s %s", r.Method, r.URL.Path)
		}
		if err := json.NewDecoder(r.Body).Decode(&read); err != nil {
			t.Error(err)
		}
		sent = append(sent, read)
		w.WriteHeader(status)
		io.WriteString(w, answer)
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return socket, &sent
}

// given runs a command as a runtime does.
func given(command, socket, more string) (string, bool) {
	variables := map[string]string{
		"CNI_COMMAND":     command,
		"CNI_CONTAINERID": "c1",
		"CNI_IFNAME":      "eth0",
		"CNI_ARGS":        "K8S_POD_NAME=web",
	}
	stdin := `{"cniVersion": "1.0.0", "ipam": {"type": "plat-cni", "socket": "` + socket + `"}` + more + `}`
	out, isDone := run(func(name string) string { return variables[name] }, strings.NewReader(stdin))
	return string(out), isDone
}

func TestCommandIsPassedOnAndTheAnswerPrinted(t *testing.T) {
	socket, sent := listening(t, 200, `{"ips": []}`)
	out, isDone := given("ADD", socket, `, "name": "podnet"`)
	if out != `{"ips": []}` || !isDone {
		t.Errorf("printed %q, done: %v", out, isDone)
	}
	asked := (*sent)[0]
	if asked.Command != "ADD" || asked.ContainerID != "c1" || asked.IfName != "eth0" || asked.Args != "K8S_POD_NAME=web" {
		t.Errorf("sent %+v", asked)
	}
	if !strings.Contains(string(asked.Config), `"podnet"`) {
		t.Errorf("sent the configuration %s", asked.Config)
	}
}

func TestErrorOfTheAgentIsPrintedAndFails(t *testing.T) {
	socket, _ := listening(t, 400, `{"code": 100}`)
	if out, isDone := given("DEL", socket, ""); out != `{"code": 100}` || isDone {
		t.Errorf("printed %q, done: %v", out, isDone)
	}
	if left, err := os.ReadDir(filepath.Join(filepath.Dir(socket), "deletes")); err == nil {
		t.Errorf("left %v behind", left)
	}
}

func TestAddWithoutAnAgentIsTriedAgainLater(t *testing.T) {
	for command, code := range map[string]string{"ADD": "11", "CHECK": "11", "GC": "11", "STATUS": "50"} {
		out, isDone := given(command, filepath.Join(t.TempDir(), "agent.sock"), "")
		if !strings.HasPrefix(out, `{"cniVersion":"1.0.0","code":`+code+`,"msg":"The agent of Plat at /`) || isDone {
			t.Errorf("%s printed %q, done: %v", command, out, isDone)
		}
	}
	socket, _ := listening(t, 502, "<html>")
	if out, isDone := given("ADD", socket, ""); !strings.Contains(out, `"code":11`) || isDone {
		t.Errorf("printed %q, done: %v", out, isDone)
	}
}

func TestDelWithoutAnAgentIsLeftBehindAsItWouldBeSent(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	for range 2 {
		if out, isDone := given("DEL", filepath.Join(folder, "agent.sock"), ""); out != "" || !isDone {
			t.Errorf("printed %q, done: %v", out, isDone)
		}
	}
	deletes := filepath.Join(folder, "deletes")
	left, err := os.ReadDir(deletes)
	if err != nil || len(left) != 1 || !strings.HasPrefix(left[0].Name(), "c1~eth0~") {
		t.Fatalf("left %v behind: %v", left, err)
	}
	text, err := os.ReadFile(filepath.Join(deletes, left[0].Name()))
	var asked request
	if err != nil || json.Unmarshal(text, &asked) != nil || asked.Command != "DEL" || asked.ContainerID != "c1" {
		t.Errorf("wrote %s: %v", text, err)
	}
	if info, err := os.Stat(deletes); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has the mode %v: %v", info.Mode(), err)
	}
}

func TestDelsOfTwoAttachmentsAreLeftBehindAsTwo(t *testing.T) {
	folder := t.TempDir()
	for _, of := range [][2]string{{"a-b", "c"}, {"a", "b-c"}} {
		variables := map[string]string{"CNI_COMMAND": "DEL", "CNI_CONTAINERID": of[0], "CNI_IFNAME": of[1]}
		stdin := strings.NewReader(`{"ipam": {"socket": "` + folder + `/agent.sock"}}`)
		if out, isDone := run(func(name string) string { return variables[name] }, stdin); !isDone {
			t.Errorf("printed %q", out)
		}
	}
	if left, err := os.ReadDir(filepath.Join(folder, "deletes")); err != nil || len(left) != 2 {
		t.Errorf("left %v behind: %v", left, err)
	}
}

func TestDelOfWhatIsNoNameIsNotLeftBehind(t *testing.T) {
	variables := map[string]string{"CNI_COMMAND": "DEL", "CNI_CONTAINERID": "../c1", "CNI_IFNAME": "eth0"}
	folder := t.TempDir()
	stdin := strings.NewReader(`{"ipam": {"socket": "` + folder + `/run/agent.sock"}}`)
	out, isDone := run(func(name string) string { return variables[name] }, stdin)
	if !strings.Contains(string(out), `"code":4`) || isDone {
		t.Errorf("printed %q, done: %v", out, isDone)
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left %v behind", left)
	}
}

func TestDelFailsOnceTooManyAreLeftBehind(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "deletes"), 0o700); err != nil {
		t.Fatal(err)
	}
	for n := range deletesMax {
		file, err := os.CreateTemp(filepath.Join(folder, "deletes"), "c")
		if err != nil {
			t.Fatal(n, err)
		}
		file.Close()
	}
	out, isDone := given("DEL", filepath.Join(folder, "agent.sock"), "")
	if !strings.Contains(out, `"code":11`) || !strings.Contains(out, "has 10000 files already") || isDone {
		t.Errorf("printed %q, done: %v", out, isDone)
	}
}

func TestVersionNeedsNoAgent(t *testing.T) {
	out, isDone := given("VERSION", "/nowhere/agent.sock", "")
	if out != `{"cniVersion":"1.0.0","supportedVersions":["0.3.0","0.3.1","0.4.0","1.0.0","1.1.0"]}`+"\n" || !isDone {
		t.Errorf("printed %q, done: %v", out, isDone)
	}
}

func TestConfigurationThatIsNoJSONIsAnError(t *testing.T) {
	out, isDone := run(func(string) string { return "ADD" }, strings.NewReader("{"))
	if !strings.HasPrefix(string(out), `{"cniVersion":"1.1.0","code":6,`) || isDone {
		t.Errorf("printed %q, done: %v", out, isDone)
	}
}

func TestConfigurationThatIsTooLargeIsAnErrorThatSaysSo(t *testing.T) {
	large := `{"name": "` + strings.Repeat("a", bytesMax) + `"}`
	out, isDone := run(func(string) string { return "GC" }, strings.NewReader(large))
	if !strings.Contains(string(out), "has more than 1000000 bytes") || isDone {
		t.Errorf("printed %q, done: %v", out, isDone)
	}
}

func TestDelsOfTwoNetworksOfOneInterfaceAreLeftBehindAsTwo(t *testing.T) {
	folder := t.TempDir()
	variables := map[string]string{"CNI_COMMAND": "DEL", "CNI_CONTAINERID": "c1", "CNI_IFNAME": "net1"}
	for _, network := range []string{"lan", "storage", "lan"} {
		stdin := strings.NewReader(`{"name": "` + network + `", "ipam": {"socket": "` + folder + `/agent.sock"}}`)
		if out, isDone := run(func(name string) string { return variables[name] }, stdin); !isDone {
			t.Errorf("printed %q", out)
		}
	}
	if left, err := os.ReadDir(filepath.Join(folder, "deletes")); err != nil || len(left) != 2 {
		t.Errorf("left %v behind: %v", left, err)
	}
}
