import { withoutSam } from './sam-functions';

type Properties = Readonly<Record<string, unknown>>;

export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Properties;
  readonly deletionPolicy: string | undefined;
  readonly updateReplacePolicy: string | undefined;
}

/**
 * A synthesized template as the rules look at it. What is a token, a parameter or another stack's is undefined: a rule
 * says nothing about what it can't see.
 */
export class TemplateModel {
  readonly resources: readonly Resource[];
  private readonly byId: ReadonlyMap<string, Resource>;

  constructor(template: {
    readonly Resources?: Readonly<Record<string, unknown>>;
    readonly Globals?: unknown;
  }) {
    this.resources = Object.entries(withoutSam(template)).map(([logicalId, raw]) => {
      const {
        Type,
        Properties: properties,
        DeletionPolicy,
        UpdateReplacePolicy,
      } = (raw ?? {}) as Record<string, unknown>;
      return {
        logicalId,
        type: String(Type),
        properties: (properties ?? {}) as Properties,
        deletionPolicy: textOf(DeletionPolicy),
        updateReplacePolicy: textOf(UpdateReplacePolicy),
      };
    });
    this.byId = new Map(this.resources.map((resource) => [resource.logicalId, resource]));
  }

  ofType(type: string): Resource[] {
    return this.resources.filter((resource) => resource.type === type);
  }

  /** The resource of this template that a value refers to: Ref, GetAtt, or a name or ARN that one of them has. */
  target(value: unknown): Resource | undefined {
    const id = referenceOf(value);
    if (id !== undefined) return this.byId.get(id);
    const name = lastName(value);
    if (name === undefined) return undefined;
    return this.resources.find(
      ({ properties }) =>
        properties['QueueName'] === name ||
        properties['FunctionName'] === name ||
        properties['TopicName'] === name,
    );
  }

  queues(): Resource[] {
    return this.ofType('AWS::SQS::Queue');
  }

  /** Mappings of queues; an ARN that can't be seen counts when nothing says that it is a stream. */
  mappings(): Resource[] {
    return this.ofType('AWS::Lambda::EventSourceMapping').filter(({ properties }) => {
      const source = this.target(properties['EventSourceArn']);
      return source === undefined
        ? properties['StartingPosition'] === undefined
        : source.type === 'AWS::SQS::Queue';
    });
  }

  queueOf(mapping: Resource): Resource | undefined {
    return this.target(mapping.properties['EventSourceArn']);
  }

  functionOf(mapping: Resource): Resource | undefined {
    return this.target(mapping.properties['FunctionName']);
  }

  redrivePolicyOf(
    queue: Resource,
  ): { readonly target: unknown; readonly maxReceiveCount: number | undefined } | undefined {
    const policy = objectOf(queue.properties['RedrivePolicy']);
    return (
      policy && {
        target: policy['deadLetterTargetArn'],
        maxReceiveCount: numberOf(policy['maxReceiveCount']),
      }
    );
  }

  deadLetterQueueOf(queue: Resource): Resource | undefined {
    return this.target(this.redrivePolicyOf(queue)?.target);
  }

  /** Queues that another one dead-letters to. */
  deadLetterQueues(): Resource[] {
    const targets = new Set(this.queues().map((queue) => this.deadLetterQueueOf(queue)?.logicalId));
    return this.queues().filter(({ logicalId }) => targets.has(logicalId));
  }

  sourcesOf(deadLetterQueue: Resource): Resource[] {
    return this.queues().filter(
      (queue) => this.deadLetterQueueOf(queue)?.logicalId === deadLetterQueue.logicalId,
    );
  }

  /** Alarms on one metric, with the queue of their dimension. */
  queueAlarms(): {
    readonly alarm: Resource;
    readonly metric: string;
    readonly queue: Resource | undefined;
    readonly statistic: string | undefined;
  }[] {
    return this.ofType('AWS::CloudWatch::Alarm')
      .filter(({ properties }) => properties['Namespace'] === 'AWS/SQS')
      .map((alarm) => {
        const [dimension] = listOf<{ readonly Value?: unknown }>(alarm.properties['Dimensions']);
        return {
          alarm,
          metric: String(alarm.properties['MetricName']),
          queue: this.target(dimension?.Value),
          statistic: textOf(alarm.properties['Statistic']),
        };
      });
  }
}

export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

/** An object, or JSON text of one. */
export function objectOf(value: unknown): Properties | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Properties;
  if (typeof value !== 'string') return undefined;
  try {
    return objectOf(JSON.parse(value));
  } catch {
    return undefined;
  }
}

export function referenceOf(value: unknown): string | undefined {
  const { Ref: ref, 'Fn::GetAtt': attribute } = (
    typeof value === 'object' && value !== null ? value : {}
  ) as Properties;
  if (typeof ref === 'string') return ref;
  if (typeof attribute === 'string') return attribute.split('.')[0];
  return Array.isArray(attribute) ? textOf(attribute[0]) : undefined;
}

/** Last part of an ARN or URL, also of one that is joined from tokens. */
function lastName(value: unknown): string | undefined {
  if (typeof value === 'string') return value.split(/[:/]/).at(-1);
  const join = (value as Properties | null | undefined)?.['Fn::Join'];
  const parts = Array.isArray(join) ? (join[1] as unknown[]) : undefined;
  const last = parts?.at(-1);
  return typeof last === 'string' ? last.split(/[:/]/).at(-1) : undefined;
}

/** A list; anything else that stands in its place, such as a token, is an empty one. */
export function listOf<T = unknown>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}
