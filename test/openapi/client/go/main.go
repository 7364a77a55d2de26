// Completes the README's example with a client that oapi-codegen makes from the OpenAPI document.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"plat.example/client/plat"
)

func main() {
	address, err := completeExample(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(address)
}

// completeExample creates a pool, assigns an address, reads it and releases it. It returns the address.
func completeExample(ctx context.Context, url string) (string, error) {
	client, err := plat.NewClientWithResponses(url)
	if err != nil {
		return "", err
	}
	const space = "go"
	var pool plat.PutPoolInSpaceJSONRequestBody
	if err := pool.FromPoolRequest(plat.PoolRequest{Cidr: "10.0.0.0/16"}); err != nil {
		return "", err
	}
	created, err := client.PutPoolInSpaceWithResponse(ctx, space, "default-ipv4", nil, pool)
	if err != nil {
		return "", err
	}
	if created.StatusCode() != http.StatusCreated {
		return "", fmt.Errorf("the pool was answered with %s", created.Body)
	}

	count, handle, key := 1, "web-0", "web-0"
	request := plat.AssignRequest{
		Host:       "node-1",
		Ipv4:       &count,
		Handle:     &handle,
		Attributes: &map[string]string{"pod": "web-0"},
	}
	assigned, err := client.AssignInSpaceWithResponse(ctx, space, &plat.AssignInSpaceParams{IdempotencyKey: &key}, request)
	if err != nil {
		return "", err
	}
	if assigned.JSON200 == nil {
		return "", fmt.Errorf("nothing was assigned: %s", assigned.Body)
	}
	assignment, err := assigned.JSON200.AsAssignment()
	if err != nil {
		return "", err
	}
	held := assignment.Addresses[0]

	read, err := client.ReadAddressInSpaceWithResponse(ctx, space, held.Address)
	if err != nil {
		return "", err
	}
	if read.JSON200 == nil || read.JSON200.Handle == nil || *read.JSON200.Handle != handle {
		return "", fmt.Errorf("the address reads as %s", read.Body)
	}

	named := []plat.AddressToRelease{{Address: held.Address, Generation: &held.Generation}}
	released, err := client.ReleaseInSpaceWithResponse(ctx, space, plat.ReleaseRequest{Addresses: &named})
	if err != nil {
		return "", err
	}
	if released.JSON200 == nil {
		return "", fmt.Errorf("nothing was released: %s", released.Body)
	}
	results, err := released.JSON200.AsAddressesReleased()
	if err != nil {
		return "", err
	}
	if status := results.Results[0].Status; status != plat.ReleaseResultStatusReleased {
		return "", fmt.Errorf("the release came to %s", status)
	}

	after, err := client.ReadHandleInSpaceWithResponse(ctx, space, handle, nil)
	if err != nil {
		return "", err
	}
	if problem := after.ApplicationproblemJSON404; problem == nil || problem.Code != plat.ProblemCodeNotFound {
		return "", fmt.Errorf("the handle is there after its release: %s", after.Body)
	}
	return held.Address, nil
}
