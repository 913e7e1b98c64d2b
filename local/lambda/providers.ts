import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  ResourceError,
  type ResourceProvider,
  type ResourceRequest,
} from '../cloudformation/resource-provider';
import { functionNameOf, uuidOf } from './function-config';
import type { LambdaControl } from './lambda-control';
import { mappingOf } from './mapping-config';

type Properties = Readonly<Record<string, unknown>>;

const NO_EFFECT = 'no effect on what a function does here';

export function lambdaProviders(service: LambdaControl): ResourceProvider[] {
  return [
    {
      type: 'AWS::Lambda::Function',
      emulated: [
        ...['Code', 'FunctionName', 'Handler', 'Role', 'Runtime', 'Timeout', 'MemorySize', 'Environment'],
        ...['Description', 'ReservedConcurrentExecutions', 'LoggingConfig', 'PackageType'],
      ],
      ignored: {
        Architectures: 'handlers run on this machine',
        TracingConfig: 'there is no X-Ray here',
        EphemeralStorage: 'the disk of this machine',
        Tags: 'tags of functions are not looked at',
        DeadLetterConfig: 'for asynchronous invocations only; a failed one is printed',
        KmsKeyArn: 'nothing is encrypted at rest here',
        RuntimeManagementConfig: NO_EFFECT,
        SnapStart: NO_EFFECT,
        RecursiveLoop: 'recursion is not detected here',
        'LoggingConfig.ApplicationLogLevel': 'all levels are kept',
        'LoggingConfig.SystemLogLevel': 'all levels are kept',
      },
      create: (resource) => createFunction(service, resource),
    },
    {
      type: 'AWS::Lambda::EventSourceMapping',
      emulated: [
        ...['EventSourceArn', 'FunctionName', 'BatchSize', 'MaximumBatchingWindowInSeconds', 'Enabled'],
        ...['FunctionResponseTypes', 'ScalingConfig', 'FilterCriteria'],
      ],
      ignored: {
        Tags: 'tags of mappings are not looked at',
        ProvisionedPollerConfig: 'one poller finds everything here',
        MetricsConfig: 'mapping metrics are not emulated',
        KmsKeyArn: 'nothing is encrypted at rest here',
      },
      create: ({ properties, stackName, logicalId, account, region }) => {
        const uuid = uuidOf(`${stackName}/${logicalId}`);
        service.map(mappingOf(uuid, properties));
        return {
          ref: uuid,
          attributes: {
            Id: uuid,
            EventSourceMappingArn: `arn:aws:lambda:${region}:${account}:event-source-mapping:${uuid}`,
          },
        };
      },
    },
    {
      type: 'AWS::Lambda::Version',
      emulated: ['FunctionName'],
      ignored: { Description: NO_EFFECT, CodeSha256: NO_EFFECT, ProvisionedConcurrencyConfig: NO_EFFECT },
      create: ({ properties, account, region }) => {
        const name = functionNameOf(String(properties['FunctionName']));
        const version = service.registry.publish(name);
        const arn = `arn:aws:lambda:${region}:${account}:function:${name}:${version}`;
        return { ref: arn, attributes: { Version: version, FunctionArn: arn } };
      },
    },
    {
      type: 'AWS::Lambda::Alias',
      emulated: ['FunctionName', 'Name', 'FunctionVersion'],
      ignored: { Description: NO_EFFECT, ProvisionedConcurrencyConfig: NO_EFFECT },
      create: ({ properties, account, region }) => {
        const name = functionNameOf(String(properties['FunctionName']));
        const alias = String(properties['Name']);
        service.registry.alias(name, alias, String(properties['FunctionVersion']));
        const arn = `arn:aws:lambda:${region}:${account}:function:${name}:${alias}`;
        return { ref: arn, attributes: { AliasArn: arn } };
      },
    },
    {
      type: 'AWS::Lambda::Permission',
      emulated: [],
      ignored: Object.fromEntries(
        [
          'Action',
          'FunctionName',
          'Principal',
          'SourceArn',
          'SourceAccount',
          'PrincipalOrgID',
          'FunctionUrlAuthType',
        ].map((name) => [name, 'services of the engine may invoke every function']),
      ),
      create: ({ logicalId }) => ({ ref: logicalId, attributes: { Id: logicalId } }),
    },
    {
      type: 'AWS::Lambda::EventInvokeConfig',
      emulated: [],
      ignored: Object.fromEntries(
        [
          'FunctionName',
          'Qualifier',
          'MaximumRetryAttempts',
          'MaximumEventAgeInSeconds',
          'DestinationConfig',
        ].map((name) => [name, 'asynchronous invocations are tried twice again and then printed']),
      ),
      create: ({ logicalId }) => ({ ref: logicalId, attributes: {} }),
    },
  ];
}

function createFunction(service: LambdaControl, resource: ResourceRequest) {
  const { properties, account, region, generatedName } = resource;
  const runtime = String(properties['Runtime'] ?? '');
  if (String(properties['PackageType'] ?? 'Zip') !== 'Zip')
    throw new ResourceError('PackageType', 'only Zip is emulated; images need a container');
  if (!runtime.startsWith('nodejs'))
    throw new ResourceError(
      'Runtime',
      `nodejs22.x, nodejs24.x and other Node runtimes are emulated, and it is '${runtime}'`,
    );
  for (const required of ['Handler', 'Role'])
    if (properties[required] === undefined) throw new ResourceError(required, 'is missing');
  const name = String(properties['FunctionName'] ?? generatedName.slice(0, 64));
  const arn = `arn:aws:lambda:${region}:${account}:function:${name}`;
  const logging = (properties['LoggingConfig'] ?? {}) as Properties;
  const variables = ((properties['Environment'] as Properties | undefined)?.['Variables'] ??
    {}) as Properties;
  const reserved = properties['ReservedConcurrentExecutions'];
  service.create({
    name,
    arn,
    roleArn: String(properties['Role']),
    handler: String(properties['Handler']),
    runtime,
    codeFolder: codeFolderOf(service, resource),
    memory: Number(properties['MemorySize'] ?? 128),
    timeout: Number(properties['Timeout'] ?? 3),
    environment: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, String(value)])),
    logGroup: String(logging['LogGroup'] ?? `/aws/lambda/${name}`),
    logFormat: logging['LogFormat'] === 'JSON' ? 'JSON' : 'Text',
    description: String(properties['Description'] ?? ''),
    ...(reserved === undefined ? {} : { reserved: Number(reserved) }),
  });
  return { ref: name, attributes: { Arn: arn } };
}

function codeFolderOf(service: LambdaControl, { properties, asset }: ResourceRequest): string {
  const { S3Bucket: bucket, S3Key: key, ZipFile: inline } = (properties['Code'] ?? {}) as Properties;
  if (typeof inline === 'string') {
    const folder = service.newFolder();
    writeFileSync(path.join(folder, 'index.js'), inline);
    return folder;
  }
  const folder = asset(String(bucket), String(key));
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new ResourceError(
      'Code',
      `the asset ${folder} is not a folder; zip files and images are not emulated`,
    );
  return folder;
}
