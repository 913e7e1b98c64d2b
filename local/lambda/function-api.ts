import { ResourceError } from '../cloudformation/resource-provider';
import { type Answer, type Call, type Json, LambdaError } from './api-call';
import { ACCOUNT_CONCURRENCY, type FunctionConfig, functionNameOf } from './function-config';
import type { FunctionPool } from './function-pool';
import type { ResolvedFunction } from './function-registry';
import { checkSettings } from './function-settings';
import type { LambdaControl } from './lambda-control';

/** What must stay for functions without a reserve. https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html */
const LEAST_UNRESERVED = 100;

/** The function that a call names, by name, ARN, version or alias. */
export function resolved(service: LambdaControl, { name, query }: Call): ResolvedFunction {
  const qualifier = query.get('Qualifier') ?? undefined;
  const found = service.registry.resolve(name, qualifier);
  if (found === undefined)
    throw new LambdaError(
      404,
      'ResourceNotFoundException',
      `Function not found: ${functionNameOf(name)}${qualifier === undefined ? '' : `:${qualifier}`}`,
    );
  return found;
}

/** The calls about functions, their versions and their concurrency. */
export class FunctionApi {
  constructor(private readonly service: LambdaControl) {}

  list(): Answer {
    return { status: 200, body: { Functions: this.service.all().map(({ config }) => describe(config)) } };
  }

  get(call: Call): Answer {
    const { config } = this.pool(call);
    return {
      status: 200,
      body: {
        Configuration: this.described(call),
        Code: { RepositoryType: 'S3', Location: `file://${config.codeFolder}` },
        ...(config.reserved === undefined
          ? {}
          : { Concurrency: { ReservedConcurrentExecutions: config.reserved } }),
      },
    };
  }

  configuration(call: Call): Answer {
    return { status: 200, body: this.described(call) };
  }

  configure(call: Call): Answer {
    const pool = this.pool(call);
    const given = JSON.parse(call.body.toString('utf8')) as Json;
    const variables = (given['Environment'] as Json | undefined)?.['Variables'] as
      | Record<string, string>
      | undefined;
    const changed = {
      ...pool.config,
      ...(variables === undefined ? {} : { environment: variables }),
      ...(given['Timeout'] === undefined ? {} : { timeout: Number(given['Timeout']) }),
      ...(given['MemorySize'] === undefined ? {} : { memory: Number(given['MemorySize']) }),
      ...(given['Description'] === undefined ? {} : { description: String(given['Description']) }),
    };
    checkSettings(changed);
    pool.renew(changed);
    return { status: 200, body: describe(changed) };
  }

  versions(call: Call): Answer {
    const { config } = this.pool(call);
    const versions = this.service.registry.versionsOf(config.name);
    return { status: 200, body: { Versions: versions.map((version) => describe(config, version)) } };
  }

  aliases(call: Call): Answer {
    const { config } = this.pool(call);
    const aliases = [...this.service.registry.aliasesOf(config.name)];
    return {
      status: 200,
      body: { Aliases: aliases.map(([name, version]) => aliasOf(config, name, version)) },
    };
  }

  alias(call: Call): Answer {
    const { config } = this.pool(call);
    const version = this.service.registry.aliasesOf(config.name).get(call.part);
    if (version === undefined)
      throw new LambdaError(
        404,
        'ResourceNotFoundException',
        `Cannot find alias arn: ${config.arn}:${call.part}`,
      );
    return { status: 200, body: aliasOf(config, call.part, version) };
  }

  reserve(call: Call): Answer {
    const pool = this.pool(call);
    const reserved = Number((JSON.parse(call.body.toString('utf8')) as Json)['ReservedConcurrentExecutions']);
    const changed = { ...pool.config, reserved };
    checkSettings(changed);
    const others = this.service.all().filter((other) => other !== pool);
    const left = others.reduce(
      (sum, { config }) => sum - (config.reserved ?? 0),
      ACCOUNT_CONCURRENCY - reserved,
    );
    if (left < LEAST_UNRESERVED)
      throw new ResourceError(
        'ReservedConcurrentExecutions',
        `Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [${LEAST_UNRESERVED}].`,
      );
    pool.config = changed;
    return { status: 200, body: { ReservedConcurrentExecutions: reserved } };
  }

  reserved(call: Call): Answer {
    const { reserved } = this.pool(call).config;
    return { status: 200, body: reserved === undefined ? {} : { ReservedConcurrentExecutions: reserved } };
  }

  unreserve(call: Call): Answer {
    const pool = this.pool(call);
    const { reserved: _, ...rest } = pool.config;
    pool.config = rest;
    return { status: 204 };
  }

  account(): Answer {
    const pools = this.service.all();
    const reserved = pools.reduce((sum, { config }) => sum + (config.reserved ?? 0), 0);
    return {
      status: 200,
      body: {
        AccountLimit: {
          ConcurrentExecutions: ACCOUNT_CONCURRENCY,
          UnreservedConcurrentExecutions: ACCOUNT_CONCURRENCY - reserved,
        },
        AccountUsage: { FunctionCount: pools.length },
      },
    };
  }

  private described(call: Call): Json {
    const { pool, version } = resolved(this.service, call);
    return describe(pool.config, version);
  }

  private pool(call: Call): FunctionPool {
    return resolved(this.service, call).pool;
  }
}

function aliasOf({ arn }: FunctionConfig, name: string, version: string): Json {
  return { AliasArn: `${arn}:${name}`, Name: name, FunctionVersion: version };
}

function describe(config: FunctionConfig, version = '$LATEST'): Json {
  return {
    FunctionName: config.name,
    FunctionArn: version === '$LATEST' ? config.arn : `${config.arn}:${version}`,
    Runtime: config.runtime,
    Role: config.roleArn,
    Handler: config.handler,
    Description: config.description,
    Timeout: config.timeout,
    MemorySize: config.memory,
    Environment: { Variables: config.environment },
    LoggingConfig: { LogFormat: config.logFormat, LogGroup: config.logGroup },
    Version: version,
    State: 'Active',
    LastUpdateStatus: 'Successful',
    PackageType: 'Zip',
  };
}
