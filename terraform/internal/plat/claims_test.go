package plat

import (
	"context"
	"testing"
)

func TestCreateThatReadBeforeTheEndOfAReleaseReadsAgain(t *testing.T) {
	t.Parallel()
	client, _, _ := scripted(t)
	end, ok := client.BeginRelease("g1")
	if !ok {
		t.Fatal("nobody has g1, and it is not released")
	}
	end()
	if waited, err := client.AwaitReleases(context.Background(), "g1", "g2"); !waited || err != nil {
		t.Errorf("the create keeps what it read: %t, %v", waited, err)
	}
	if client.Adopt("g2", "g1") {
		t.Error("the create adopts g1, which is released")
	}
	if !client.Adopt("g2") {
		t.Error("the create does not adopt g2, which nobody releases")
	}
}

func TestWhatACreateMadeOrAdoptedIsItsOwn(t *testing.T) {
	t.Parallel()
	client, _, _ := scripted(t)
	end, _ := client.BeginRelease("10.0.0.0/20")
	end()
	if !client.Make("10.0.0.0/20") || !client.Adopt("10.0.16.0/20") {
		t.Fatal("nobody else has the prefixes")
	}
	for _, proof := range []string{"10.0.0.0/20", "10.0.16.0/20"} {
		if client.Adopt(proof) || client.Make(proof) {
			t.Errorf("two creates have %s", proof)
		}
		if _, ok := client.BeginRelease(proof); ok {
			t.Errorf("%s is released, and a create has it", proof)
		}
	}
}

func TestTwoCreatesOfARunMakeNotTheSame(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		name     string
		one, two string
		ok       bool
	}{
		{"the same name", "a", "a", false},
		{"other names", "a", "b", true},
		{"any beside a named one", "a", "", false},
		{"a named one beside any", "", "a", false},
		{"any twice", "", "", false},
	} {
		client, _, _ := scripted(t)
		if !client.BeginCreate("group", each.one) || !client.BeginCreate("other group", each.two) {
			t.Errorf("%s: the first create of a group is refused", each.name)
		}
		if client.BeginCreate("group", each.two) != each.ok {
			t.Errorf("%s: the answer is not %t", each.name, each.ok)
		}
	}
}

func TestTwoResourcesOfAStateWithOneThingAreFound(t *testing.T) {
	t.Parallel()
	client, _, _ := scripted(t)
	for _, each := range []struct {
		proofs []string
		ok     bool
	}{{[]string{"g1", "g2"}, true}, {[]string{"g3"}, true}, {[]string{"g4", "g2"}, false}, {[]string{"g4"}, false}} {
		if client.FindInState(each.proofs...) != each.ok {
			t.Errorf("%v: the answer is not %t", each.proofs, each.ok)
		}
	}
}
