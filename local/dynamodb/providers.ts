import type { CreatedResource, ResourceProvider, ResourceRequest } from '../cloudformation/resource-provider';
import { ResourceError } from '../cloudformation/resource-provider';
import { type DynaliteStore, type Parameters, tableOf } from './dynalite-store';
import type { DynamoDbRequests } from './requests';
import type { TableSettingsStore } from './table-settings';

interface Parts {
  readonly store: DynaliteStore;
  readonly requests: DynamoDbRequests;
  readonly settings: TableSettingsStore;
}

const CREATE_PROPERTIES = [
  'KeySchema',
  'AttributeDefinitions',
  'BillingMode',
  'ProvisionedThroughput',
  'GlobalSecondaryIndexes',
  'LocalSecondaryIndexes',
] as const;

const IGNORED = {
  SSESpecification: 'encryption at rest does not change what a caller sees',
  TableClass: 'a price class',
  ContributorInsightsSpecification: 'no Contributor Insights here',
  OnDemandThroughput: 'the engine does not throttle tables',
  WarmThroughput: 'the engine does not throttle tables',
  ResourcePolicy: 'identity policies decide here',
  KinesisStreamSpecification: 'no Kinesis here',
} as const;

export function tableProviders(parts: Parts): ResourceProvider[] {
  const emulated = [
    ...CREATE_PROPERTIES,
    'TableName',
    'TimeToLiveSpecification',
    'PointInTimeRecoverySpecification',
    'DeletionProtectionEnabled',
    'Tags',
  ];
  return [
    {
      type: 'AWS::DynamoDB::Table',
      emulated,
      ignored: IGNORED,
      create: (resource) => createTable(parts, resource, resource.properties),
    },
    {
      type: 'AWS::DynamoDB::GlobalTable',
      emulated: [...emulated.filter((name) => name !== 'Tags'), 'Replicas'],
      ignored: {
        ...IGNORED,
        WriteProvisionedThroughputSettings: 'the engine does not throttle tables',
        WriteOnDemandThroughputSettings: 'the engine does not throttle tables',
      },
      create: (resource) => createTable(parts, resource, globalTableProperties(resource)),
    },
  ];
}

/** The replica of the engine's own region stands for the table. */
function globalTableProperties({ properties, region }: ResourceRequest): Parameters {
  const { Replicas: replicas, ...rest } = properties;
  const own = (Array.isArray(replicas) ? replicas : []).find((replica) => replica.Region === region);
  if (own === undefined) throw new ResourceError('Replicas', `no replica in the engine's region ${region}`);
  return { ...own, ...rest };
}

async function createTable(
  { store, requests, settings }: Parts,
  resource: ResourceRequest,
  properties: Parameters,
): Promise<CreatedResource> {
  const name = String(properties['TableName'] ?? resource.generatedName);
  const parameters: Parameters = { TableName: name };
  for (const property of CREATE_PROPERTIES)
    if (properties[property] !== undefined)
      parameters[property] = withoutUnknownIndexParts(properties[property]);
  const existing = await tableOf(store, name).catch(() => undefined);
  if (existing === undefined) await requests.run('CreateTable', parameters);
  const { TableArn } = await tableOf(store, name);

  const ttl = properties['TimeToLiveSpecification'] as
    | { AttributeName?: string; Enabled?: unknown }
    | undefined;
  const backups = properties['PointInTimeRecoverySpecification'] as
    | { PointInTimeRecoveryEnabled?: unknown }
    | undefined;
  settings.set(name, {
    ...(ttl?.AttributeName !== undefined && isTrue(ttl.Enabled) ? { ttlAttribute: ttl.AttributeName } : {}),
    pointInTimeRecovery: isTrue(backups?.PointInTimeRecoveryEnabled),
    deletionProtection: isTrue(properties['DeletionProtectionEnabled']),
  });
  return { ref: name, attributes: { Arn: TableArn, TableId: resource.logicalId } };
}

/** Throughput settings inside an index have no effect here and dynalite does not know them. */
function withoutUnknownIndexParts(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((index) => {
    const {
      ContributorInsightsSpecification: _c,
      OnDemandThroughput: _o,
      WarmThroughput: _w,
      ...rest
    } = index;
    return rest;
  });
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}
