package acceptance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestPageForUsersIsApplied(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(need(t, "PLAT_ROOT"), "docs", "terraform.md"))
	must(t, err)
	block := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/terraform.md has no configuration")
	}
	s := startServer(t)
	w := newWorkspace(t, s.url)
	must(t, os.Remove(filepath.Join(w.folder, "versions.tf")))
	w.config(strings.ReplaceAll(string(block[1]), "http://127.0.0.1:8787", s.url))
	w.apply()
	w.isSettled()
	held := s.addressesOf("shop/web-0")
	equal(t, "addresses", len(held), 1)
	contains(t, w.run("output", "web"), held[0]+"/24")
}

func TestExamplesAreValid(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "*", "*.tf"))
	must(t, err)
	if len(examples) < 7 {
		t.Fatalf("there are %d examples in place of one for each resource and data source", len(examples))
	}
	for _, example := range append(examples, filepath.Join("..", "..", "examples", "provider", "provider.tf")) {
		text, err := os.ReadFile(example)
		must(t, err)
		w := newWorkspace(t, "http://127.0.0.1:1")
		if strings.Contains(string(text), "required_providers") {
			must(t, os.Remove(filepath.Join(w.folder, "versions.tf")))
		}
		w.config(string(text))
		if output, err := w.try("validate"); err != nil {
			t.Errorf("%s: %s", example, output)
		}
	}
}
