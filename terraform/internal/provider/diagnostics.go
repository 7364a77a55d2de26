package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
	"github.com/plat-ipam/terraform-provider-plat/internal/plat"
)

// addError adds an error. Where Plat names fields, there is one error for each, on the attribute of the same name.
//
// known has the attributes of the resource; a field that is none of them is an error of the resource.
func addError(diags *diag.Diagnostics, summary string, err error, known map[string]bool) {
	var rejection *plat.Rejection
	if !errors.As(err, &rejection) || rejection.Fields == nil || len(*rejection.Fields) == 0 {
		diags.AddError(summary, sentence(err))
		return
	}
	for _, field := range *rejection.Fields {
		detail := fmt.Sprintf("%s %s%s (request %s).", field.Field, field.Problem, received(field), rejection.RequestId)
		if at, ok := attributeOf(field.Field, known); ok {
			diags.AddAttributeError(at, summary, detail)
			continue
		}
		diags.AddError(summary, detail)
	}
}

// write is what a resource writes, in words.
type write struct {
	// what and done name the resource and the change: "The pool", "created".
	what, done string
	// unanswered says what follows without an answer, and written what follows once Plat wrote it; empty for nothing.
	unanswered, written string
}

// addWriteError adds the error of a write. The summary of one that Plat carried out says so.
func addWriteError(diags *diag.Diagnostics, write write, err error, known map[string]bool) {
	var written *plat.WrittenError
	if errors.As(err, &written) {
		detail := strings.TrimSuffix(sentence(err)+"\n"+write.written, "\n")
		lack := "that is not in force everywhere yet"
		var ended *plat.JobError
		if errors.As(err, &ended) {
			lack = "its job did not succeed"
		}
		diags.AddError(fmt.Sprintf("%s is %s, but %s", write.what, write.done, lack), detail)
		return
	}
	if write.unanswered != "" {
		err = unanswered(err, write.unanswered)
	}
	addError(diags, fmt.Sprintf("%s was not %s", write.what, write.done), err, known)
}

// received tells the value that Plat received for a field; nothing if it names none.
func received(field api.FieldAtFault) string {
	if field.Value == nil {
		return ""
	}
	value, err := json.Marshal(field.Value)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("; received %s", value)
}

// sentence begins the text of an error with a capital letter.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// attributeOf returns the attribute for a field of the API: routes for routes[0].gw. OpenTofu shows the line of an
// attribute, and not that of a part of it.
func attributeOf(field string, known map[string]bool) (path.Path, bool) {
	root, _, _ := strings.Cut(field, ".")
	root, _, _ = strings.Cut(root, "[")
	name := snake(root)
	return path.Root(name), known[name]
}

var capital = regexp.MustCompile(`[A-Z]`)

// snake turns the name of a field into that of its attribute: blockSize into block_size.
func snake(field string) string {
	return capital.ReplaceAllStringFunc(field, func(letter string) string { return "_" + strings.ToLower(letter) })
}
