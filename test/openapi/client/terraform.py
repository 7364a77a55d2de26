"""Sends the requests that the provider Mastercard/restapi 3 makes of a `restapi_object`: create, read, delete.

The provider creates with the data at `create_path`, and reads and deletes at `path/ID`. The id is the value of
`id_attribute` in the data. A read that is answered with 404 takes the object out of the state:
https://github.com/Mastercard/terraform-provider-restapi/blob/v3.0.0/internal/apiclient/object.go
"""

import json
import sys
import urllib.error
import urllib.request

import hcl2


def text(literal: str) -> str:
    """Returns the value of a quoted string of HCL."""
    return json.loads(literal)


def evaluated(value):
    """Returns a value of HCL as JSON has it."""
    if isinstance(value, list):
        return [evaluated(one) for one in value]
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if not key.startswith("__")}
        return {key: evaluated(one) for key, one in kept.items()}
    return text(value) if isinstance(value, str) else value


def arguments_of(expression: str, function: str) -> str:
    """Returns what stands between the brackets of `${function(…)}`."""
    start, end = "${" + function + "(", ")}"
    assert expression.startswith(start) and expression.endswith(end), expression
    return expression[len(start) : -len(end)]


def send(method: str, url: str, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {} if body is None else {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def main(file: str, url: str) -> str:
    with open(file) as source:
        config = hcl2.load(source)
    [resource] = [one['"restapi_object"']['"web"'] for one in config["resource"]]
    data = evaluated(hcl2.loads("data = " + arguments_of(resource["data"], "jsonencode"))["data"])
    unknown = set(evaluated(resource["force_new"])) - set(data)
    assert not unknown, f"force_new names {unknown}"
    create = url + text(resource["create_path"])
    object_url = f"{url}{text(resource['path'])}/{data[text(resource['id_attribute'])]}"

    read = []
    for _ in range(2):  # a create whose answer was lost is tried again
        status, answer = send("POST", create, data)
        assert status == 200, answer
        status, answer = send("GET", object_url)
        assert status == 200, answer
        read.append([one["cidr"] for one in answer["addresses"]])
    assert len(read[0]) == 1 and read[0] == read[1], read

    output = config["output"][0]['"address"']["value"]
    assert output == "${jsondecode(restapi_object.web.api_response).addresses[0].cidr}", output
    status, answer = send("PUT", object_url, data)  # an update, which nothing but force_new avoids
    assert status == 405, answer
    statuses = [send("DELETE", object_url)[0], send("GET", object_url)[0], send("DELETE", object_url)[0]]
    assert statuses == [200, 404, 200], statuses
    return read[0][0]


print(main(*sys.argv[1:]))
