import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { asString, required } from '../cloudformation/properties';
import { ResourceError, type ResourceProvider } from '../cloudformation/resource-provider';
import { bodyOf } from '../gateway/request-body';
import type { Environment, Exchange, LocalService } from '../gateway/service';

interface StoredParameter {
  readonly type: string;
  readonly value: string;
  readonly changed: number;
}

/** The SSM parameter store as far as stacks keep plain values in it: the resource, and reading by name or path. */
export class ParameterStore implements LocalService {
  readonly signingName = 'ssm';
  readonly providers: readonly ResourceProvider[];
  private readonly parameters = new Map<string, StoredParameter>();

  constructor(private readonly environment: Environment) {
    this.providers = [
      {
        type: 'AWS::SSM::Parameter',
        emulated: ['Name', 'Type', 'Value'],
        ignored: {
          Description: 'a text for people',
          Tier: 'a price class',
          Tags: 'tags of parameters are not looked at',
          AllowedPattern: 'a value is checked by whoever writes it, and nobody does here',
          DataType: 'plain text only',
        },
        create: ({ properties, generatedName }) => {
          const name = asString(properties, 'Name') ?? generatedName;
          const type = required(asString(properties, 'Type'), 'Type');
          const value = required(asString(properties, 'Value'), 'Value');
          if (type !== 'String' && type !== 'StringList')
            throw new ResourceError('Type', 'must be String or StringList');
          this.parameters.set(name, { type, value, changed: environment.clock.now() });
          return { ref: name, attributes: { Type: type, Value: value } };
        },
      },
    ];
  }

  value(name: string): string | undefined {
    return this.parameters.get(name)?.value;
  }

  async handle({ request, response, identity }: Exchange): Promise<void> {
    const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const body = await bodyOf(request);
    const input = JSON.parse(body.length > 0 ? body.toString('utf8') : '{}') as {
      Name?: string;
      Names?: string[];
      Path?: string;
      Recursive?: boolean;
    };
    if (operation === 'GetParametersByPath') return this.byPath(input, identity, response);
    const single = operation === 'GetParameter';
    if (!single && operation !== 'GetParameters')
      return refuse(
        response,
        'InvalidAction',
        `The local engine does not emulate the SSM operation '${operation}'.`,
      );
    const names = single ? [String(input.Name)] : (input.Names ?? []);
    for (const name of names) {
      const denied = this.environment.authorize({
        identity,
        action: `ssm:${operation}`,
        resource: this.arn(name),
      });
      if (denied !== undefined) return refuse(response, 'AccessDeniedException', denied);
    }
    const found = names.flatMap((name) => this.describe(name) ?? []);
    if (!single)
      return answer(response, 200, {
        Parameters: found,
        InvalidParameters: names.filter((name) => !this.parameters.has(name)),
      });
    if (found[0] === undefined) return refuse(response, 'ParameterNotFound', `${names[0]} not found.`);
    answer(response, 200, { Parameter: found[0] });
  }

  private byPath(
    {
      Path: path = '/',
      Recursive: recursive = false,
    }: { readonly Path?: string; readonly Recursive?: boolean },
    identity: Exchange['identity'],
    response: ServerResponse,
  ): void {
    const denied = this.environment.authorize({
      identity,
      action: 'ssm:GetParametersByPath',
      resource: this.arn(path),
    });
    if (denied !== undefined) {
      refuse(response, 'AccessDeniedException', denied);
      return;
    }
    const folder = path.endsWith('/') ? path : `${path}/`;
    const names = [...this.parameters.keys()].filter(
      (name) => name.startsWith(folder) && (recursive || !name.slice(folder.length).includes('/')),
    );
    answer(response, 200, { Parameters: names.sort().map((name) => this.describe(name)) });
  }

  private describe(name: string): object | undefined {
    const parameter = this.parameters.get(name);
    if (parameter === undefined) return undefined;
    const { type, value, changed } = parameter;
    return {
      Name: name,
      Type: type,
      Value: value,
      Version: 1,
      ARN: this.arn(name),
      DataType: 'text',
      LastModifiedDate: changed / 1_000,
    };
  }

  private arn(name: string): string {
    const { region, account } = this.environment;
    return `arn:aws:ssm:${region}:${account}:parameter${name.startsWith('/') ? '' : '/'}${name}`;
  }
}

export function createParameterStore(environment: Environment): ParameterStore {
  return new ParameterStore(environment);
}

function refuse(response: ServerResponse, code: string, message: string): void {
  answer(response, 400, { __type: code, message });
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': randomUUID(),
  });
  response.end(body);
}
