"""Creates the resources of templates through the services' own APIs, and reads them back.

Arguments: the endpoint, then the files of the templates, each after those whose exports it imports.
Prints a list of {id, type, wanted, found}. `wanted` has the properties of the template, with its references filled in.
`found` has the properties that the service returns, under the names of CloudFormation.
"""

import json
import sys

import boto3

REGION, ACCOUNT = "eu-central-1", "123456789012"
PSEUDO = {"AWS::Region": REGION, "AWS::AccountId": ACCOUNT, "AWS::Partition": "aws", "AWS::URLSuffix": "amazonaws.com"}


def without(properties, *names):
    return {name: value for name, value in properties.items() if name not in names}


class Table:
    def __init__(self, client, name, wanted):
        self.client, self.name = client("dynamodb"), name
        (replica,) = wanted["Replicas"]
        stream = wanted.get("StreamSpecification")
        self.client.create_table(
            TableName=name,
            DeletionProtectionEnabled=replica["DeletionProtectionEnabled"],
            **({"StreamSpecification": {"StreamEnabled": True, **stream}} if stream else {}),
            **without(wanted, "Replicas", "StreamSpecification", "TimeToLiveSpecification"),
        )
        if "TimeToLiveSpecification" in wanted:
            self.client.update_time_to_live(TableName=name, TimeToLiveSpecification=wanted["TimeToLiveSpecification"])
        self.client.update_continuous_backups(
            TableName=name, PointInTimeRecoverySpecification=replica["PointInTimeRecoverySpecification"]
        )

    def found(self):
        table = self.client.describe_table(TableName=self.name)["Table"]
        backups = self.client.describe_continuous_backups(TableName=self.name)["ContinuousBackupsDescription"]
        recovery = backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
        replica = {
            "Region": table["TableArn"].split(":")[3],
            "DeletionProtectionEnabled": table["DeletionProtectionEnabled"],
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": recovery == "ENABLED"},
            # CloudFormation names the indexes again in each replica; with one Region they are those of the table.
            "GlobalSecondaryIndexes": table.get("GlobalSecondaryIndexes"),
        }
        expiry = self.client.describe_time_to_live(TableName=self.name)["TimeToLiveDescription"]
        return {
            **table,
            "BillingMode": table["BillingModeSummary"]["BillingMode"],
            "Replicas": [replica],
            "TimeToLiveSpecification": {
                "AttributeName": expiry.get("AttributeName"),
                "Enabled": expiry["TimeToLiveStatus"] == "ENABLED",
            },
        }

    def refs(self):
        table = self.client.describe_table(TableName=self.name)["Table"]
        return {"Ref": self.name, "Arn": table["TableArn"], "StreamArn": table.get("LatestStreamArn")}


class Bucket:
    def __init__(self, client, name, wanted):
        self.client, self.name = client("s3"), name.lower()
        self.client.create_bucket(Bucket=self.name, CreateBucketConfiguration={"LocationConstraint": REGION})
        (encryption,) = wanted["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        rule = {"ApplyServerSideEncryptionByDefault": encryption["ServerSideEncryptionByDefault"]}
        self.client.put_bucket_encryption(Bucket=self.name, ServerSideEncryptionConfiguration={"Rules": [rule]})
        self.client.put_public_access_block(
            Bucket=self.name, PublicAccessBlockConfiguration=wanted["PublicAccessBlockConfiguration"]
        )
        if "VersioningConfiguration" in wanted:
            self.client.put_bucket_versioning(Bucket=self.name, VersioningConfiguration=wanted["VersioningConfiguration"])
        rules = [
            {**without(rule, "ExpirationInDays", "Id"), "ID": rule["Id"], "Expiration": {"Days": rule["ExpirationInDays"]}, "Filter": {"Prefix": ""}}
            for rule in wanted["LifecycleConfiguration"]["Rules"]
        ]
        self.client.put_bucket_lifecycle_configuration(Bucket=self.name, LifecycleConfiguration={"Rules": rules})

    def found(self):
        of = {"Bucket": self.name}
        (rule,) = self.client.get_bucket_encryption(**of)["ServerSideEncryptionConfiguration"]["Rules"]
        rules = [
            {**without(rule, "ID", "Expiration"), "Id": rule["ID"], "ExpirationInDays": rule["Expiration"]["Days"]}
            for rule in self.client.get_bucket_lifecycle_configuration(**of)["Rules"]
        ]
        encryption = {"ServerSideEncryptionByDefault": rule["ApplyServerSideEncryptionByDefault"]}
        return {
            "BucketEncryption": {"ServerSideEncryptionConfiguration": [encryption]},
            "PublicAccessBlockConfiguration": self.client.get_public_access_block(**of)["PublicAccessBlockConfiguration"],
            "VersioningConfiguration": self.client.get_bucket_versioning(**of),
            "LifecycleConfiguration": {"Rules": rules},
        }

    def refs(self):
        return {"Ref": self.name, "Arn": f"arn:aws:s3:::{self.name}"}


class EventBus:
    def __init__(self, client, name, wanted):
        self.client, self.name = client("events"), wanted["Name"]
        self.client.create_event_bus(**wanted)

    def found(self):
        return self.client.describe_event_bus(Name=self.name)

    def refs(self):
        return {"Ref": self.name, "Arn": self.found()["Arn"]}


INTEGRATION, INTEGRATIONS = "x-amazon-apigateway-integration", "x-amazon-apigateway-integrations"


class Api:
    """An HTTP API by its definition. Moto knows no shared integrations and no parameters of a path, so each route has its own."""

    def __init__(self, client, name, wanted):
        self.client, self.body = client("apigatewayv2"), wanted["Body"]
        self.shared = self.body["components"][INTEGRATIONS]
        inline = lambda operation: {**operation, INTEGRATION: self.shared[self.name_of(operation)]}
        paths = self.with_operations(lambda method, path, operation: inline(operation))
        self.key = {"ApiId": self.client.create_api(Name=name, ProtocolType="HTTP")["ApiId"]}
        definition = {**self.body, "paths": {path: without(methods, "parameters") for path, methods in paths.items()}}
        self.client.reimport_api(**self.key, Body=json.dumps(definition), FailOnWarnings=wanted["FailOnWarnings"])

    def name_of(self, operation):
        return operation[INTEGRATION]["$ref"].split("/")[-1]

    def with_operations(self, change):
        changed = lambda path, method, part: part if method == "parameters" else change(method, path, part)
        return {
            path: {method: changed(path, method, part) for method, part in methods.items()}
            for path, methods in self.body["paths"].items()
        }

    def found(self):
        api = self.client.get_api(**self.key)
        names = {integration["uri"]: name for name, integration in self.shared.items()}
        uris = {one["IntegrationId"]: one["IntegrationUri"] for one in self.client.get_integrations(**self.key)["Items"]}
        routes = {route["RouteKey"]: route["Target"].split("/")[-1] for route in self.client.get_routes(**self.key)["Items"]}
        name_of = lambda method, path: names.get(uris.get(routes.get(f"{method.upper()} {path}")))
        paths = self.with_operations(
            lambda method, path, operation: {**operation, INTEGRATION: {"$ref": f"#/components/{INTEGRATIONS}/{name_of(method, path)}"}}
        )
        return {"Body": {**self.body, "info": {"title": api["Name"], "version": api["Version"]}, "paths": paths}}

    def refs(self):
        return {"Ref": self.key["ApiId"]}


class Stage:
    def __init__(self, client, name, wanted):
        self.client, self.key = client("apigatewayv2"), {"ApiId": wanted["ApiId"], "StageName": wanted["StageName"]}
        self.client.create_stage(**wanted)

    def found(self):
        return self.client.get_stage(**self.key)

    refs = dict


class Queue:
    def __init__(self, client, name, wanted):
        self.client, self.name = client("sqs"), name
        attributes = {key: json.dumps(value) for key, value in wanted.items()}
        self.url = self.client.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]

    def attributes(self):
        return self.client.get_queue_attributes(QueueUrl=self.url, AttributeNames=["All"])["Attributes"]

    def found(self):
        is_json = lambda value: value in ("true", "false") or value.isdigit() or value.startswith("{")
        return {key: json.loads(value) for key, value in self.attributes().items() if is_json(value)}

    def refs(self):
        return {"Ref": self.url, "Arn": self.attributes()["QueueArn"], "QueueName": self.name}


class QueuePolicy:
    def __init__(self, client, name, wanted):
        self.client, self.queues = client("sqs"), wanted["Queues"]
        for queue in self.queues:
            self.client.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": json.dumps(wanted["PolicyDocument"])})

    def found(self):
        read = lambda queue: self.client.get_queue_attributes(QueueUrl=queue, AttributeNames=["Policy"])["Attributes"]["Policy"]
        (policy,) = {read(queue) for queue in self.queues}
        return {"PolicyDocument": json.loads(policy)}

    refs = dict


class Topic:
    def __init__(self, client, name, wanted):
        self.arn = client("sns").create_topic(Name=name, **wanted)["TopicArn"]
        self.attributes = lambda: client("sns").get_topic_attributes(TopicArn=self.arn)["Attributes"]

    def found(self):
        return self.attributes()

    def refs(self):
        return {"Ref": self.arn}


class TopicPolicy:
    def __init__(self, client, name, wanted):
        self.client, self.topics = client("sns"), wanted["Topics"]
        for topic in self.topics:
            policy = json.dumps(wanted["PolicyDocument"])
            self.client.set_topic_attributes(TopicArn=topic, AttributeName="Policy", AttributeValue=policy)

    def found(self):
        (policy,) = {self.client.get_topic_attributes(TopicArn=topic)["Attributes"]["Policy"] for topic in self.topics}
        return {"PolicyDocument": json.loads(policy)}

    refs = dict


class Schedule:
    def __init__(self, client, name, wanted):
        self.client, self.name = client("scheduler"), name
        self.client.create_schedule(Name=name, **wanted)

    def found(self):
        return self.client.get_schedule(Name=self.name)

    refs = dict


class Alarm:
    def __init__(self, client, name, wanted):
        self.client, self.name = client("cloudwatch"), wanted["AlarmName"]
        self.client.put_metric_alarm(**wanted)

    def found(self):
        (alarm,) = self.client.describe_alarms(AlarmNames=[self.name])["MetricAlarms"]
        return alarm

    refs = dict


KINDS = {
    "AWS::DynamoDB::GlobalTable": Table,
    "AWS::ApiGatewayV2::Api": Api,
    "AWS::ApiGatewayV2::Stage": Stage,
    "AWS::SQS::Queue": Queue,
    "AWS::SQS::QueuePolicy": QueuePolicy,
    "AWS::SNS::Topic": Topic,
    "AWS::SNS::TopicPolicy": TopicPolicy,
    "AWS::Scheduler::Schedule": Schedule,
    "AWS::CloudWatch::Alarm": Alarm,
    "AWS::S3::Bucket": Bucket,
    "AWS::Events::EventBus": EventBus,
}


class Loader:
    def __init__(self, endpoint):
        self.endpoint, self.exports, self.clients = endpoint, {}, {}

    def client(self, service):
        if service not in self.clients:
            keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
            self.clients[service] = boto3.client(service, endpoint_url=self.endpoint, region_name=REGION, **keys)
        return self.clients[service]

    def load(self, template):
        self.resources, self.made = template["Resources"], {}
        loaded = [(name, resource["Type"], *self.make(name)) for name, resource in self.resources.items() if resource["Type"] in KINDS]
        for output in template.get("Outputs", {}).values():
            if "Export" in output:
                self.exports[output["Export"]["Name"]] = self.filled(output["Value"])
        # Reads after all are created, because a policy changes a queue that was created before it.
        return [{"id": name, "type": kind, "wanted": wanted, "found": made.found()} for name, kind, wanted, made in loaded]

    def make(self, name):
        if name not in self.made:
            resource = self.resources[name]
            wanted = self.filled(resource.get("Properties", {}))
            self.made[name] = (wanted, KINDS[resource["Type"]](self.client, name, wanted))
        return self.made[name]

    def reference(self, name, attribute):
        if name in PSEUDO:
            return PSEUDO[name]
        if self.resources[name]["Type"] in KINDS:
            return self.make(name)[1].refs()[attribute]
        # A resource that is not loaded, such as a function, gets a possible ARN.
        return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}:live"

    def filled(self, value):
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((intrinsic, argument),) = value.items()
            if intrinsic == "Ref":
                return self.reference(argument, "Ref")
            if intrinsic == "Fn::GetAtt":
                return self.reference(*argument)
            if intrinsic == "Fn::Join":
                return argument[0].join(self.filled(argument[1]))
            if intrinsic == "Fn::ImportValue":
                return self.exports[argument]
            if intrinsic.startswith("Fn::"):
                raise ValueError(f"{intrinsic} is not known here")
        return {key: self.filled(one) for key, one in value.items()}


def main(endpoint, *files):
    loader = Loader(endpoint)
    templates = [json.load(open(file, encoding="utf-8")) for file in files]
    print(json.dumps([one for template in templates for one in loader.load(template)], default=str))


main(*sys.argv[1:])
