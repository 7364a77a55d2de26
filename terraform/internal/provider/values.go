package provider

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// names returns the elements of a list or a set; nil if it is null.
func names(ctx context.Context, value interface {
	IsNull() bool
	ElementsAs(context.Context, any, bool) diag.Diagnostics
}, diags *diag.Diagnostics) []string {
	if value.IsNull() {
		return nil
	}
	elements := []string{}
	diags.Append(value.ElementsAs(ctx, &elements, false)...)
	return elements
}

// knownNames returns the known elements of a list; nil if it is null.
func knownNames(ctx context.Context, value types.List, diags *diag.Diagnostics) []string {
	if value.IsNull() {
		return nil
	}
	known := slices.DeleteFunc(value.Elements(), attr.Value.IsUnknown)
	return names(ctx, types.ListValueMust(types.StringType, known), diags)
}

// texts returns a map of texts; nil if it is null.
func texts(ctx context.Context, value types.Map, diags *diag.Diagnostics) map[string]string {
	if value.IsNull() {
		return nil
	}
	entries := map[string]string{}
	diags.Append(value.ElementsAs(ctx, &entries, false)...)
	return entries
}

// listOf returns a list, and null for nil.
func listOf(elements []string) types.List {
	if elements == nil {
		return types.ListNull(types.StringType)
	}
	return types.ListValueMust(types.StringType, valuesOf(elements))
}

// setOf returns a set, and null for nil.
func setOf(elements []string) types.Set {
	if elements == nil {
		return types.SetNull(types.StringType)
	}
	return types.SetValueMust(types.StringType, valuesOf(elements))
}

// mapOf returns a map, and null for nil.
func mapOf(entries map[string]string) types.Map {
	if entries == nil {
		return types.MapNull(types.StringType)
	}
	values := make(map[string]attr.Value, len(entries))
	for name, text := range entries {
		values[name] = types.StringValue(text)
	}
	return types.MapValueMust(types.StringType, values)
}

func valuesOf(elements []string) []attr.Value {
	values := make([]attr.Value, len(elements))
	for i, element := range elements {
		values[i] = types.StringValue(element)
	}
	return values
}

// int64Of returns a number, and null for nil.
func int64Of(number *int) types.Int64 {
	if number == nil {
		return types.Int64Null()
	}
	return types.Int64Value(int64(*number))
}

// intOf returns a number; nil if it is null or unknown.
func intOf(value types.Int64) *int {
	if value.IsNull() || value.IsUnknown() {
		return nil
	}
	number := int(value.ValueInt64())
	return &number
}

// textOf returns a text; nil if it is null or unknown.
func textOf(value types.String) *string {
	if value.IsNull() || value.IsUnknown() {
		return nil
	}
	return value.ValueStringPointer()
}

// given returns a pointer to a value, and nil for a nil list or map.
func given[Value ~[]string | ~map[string]string](value Value) *Value {
	if value == nil {
		return nil
	}
	return &value
}

// orNil returns what a pointer points to; nil without one.
func orNil[Element any](elements *[]Element) []Element {
	if elements == nil {
		return nil
	}
	return *elements
}

// sameElements says whether two lists have the same elements in any order.
func sameElements(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// sameEntries says whether two maps have the same entries; nil is an empty map.
func sameEntries(a, b map[string]string) bool { return maps.Equal(a, b) }
