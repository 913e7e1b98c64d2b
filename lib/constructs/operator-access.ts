import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { REGISTRY_ROOT } from '../core/redrive-environment';
import { STORE_ATTRIBUTES } from '../core/store-keys';
import type { IRecoverableQueue } from './recoverable-queue-interface';

export interface OperatorAccessProps {
  /** What the operators work on. */
  readonly queues: IRecoverableQueue[];
}

/** Partition keys of the failure store; runs that discard begin with a word of their own. */
const RUNS = 'run#*';
const DISCARDS = 'run#discard-*';

/**
 * The rights of people who use the `redrive` command, from looking to deleting, each by itself. Queues that share a failure
 * store share their runs: give a queue a store of its own when its operators may not touch the others.
 */
export class OperatorAccess extends Construct {
  private readonly queues: readonly IRecoverableQueue[];

  constructor(scope: Construct, id: string, props: OperatorAccessProps) {
    super(scope, id);
    this.queues = props.queues;
  }

  /** To look: queues, failures, failure groups, runs, depths. No message bodies. */
  public grantInspect(grantee: iam.IGrantable): iam.Grant {
    const tables = this.tables();
    const { partition, region, account } = Stack.of(this);
    return this.grant(grantee, [
      // GetParametersByPath is asked of the path; the descriptions hold names and ARNs alone.
      {
        actions: ['ssm:GetParametersByPath'],
        resources: [
          `arn:${partition}:ssm:${region}:${account}:parameter${REGISTRY_ROOT}`,
          `arn:${partition}:ssm:${region}:${account}:parameter${REGISTRY_ROOT}/*`,
        ],
      },
      { actions: ['dynamodb:GetItem'], resources: tables },
      {
        actions: ['dynamodb:Query'],
        resources: tables.map((arn) => `${arn}/index/${STORE_ATTRIBUTES.indexName}`),
      },
      {
        actions: ['sqs:GetQueueAttributes'],
        resources: this.queues.map(({ deadLetterQueue }) => deadLetterQueue.queueArn),
      },
      ...this.keys('kms:Decrypt'),
    ]);
  }

  /** To plan, start, pause, resume, cancel and slow down redrives; with the right to look. Bodies stay unseen: the engine moves them. */
  public grantRedrive(grantee: iam.IGrantable): iam.Grant {
    return this.grantInspect(grantee).combine(
      this.grant(grantee, [
        this.writes({
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [RUNS, 'audit#*'] },
          'ForAllValues:StringNotLike': { 'dynamodb:LeadingKeys': [DISCARDS] },
        }),
        ...this.machine(),
      ]),
    );
  }

  /** To plan the deletion of messages, and to say the second word to somebody else's; with the right to look. */
  public grantDiscard(grantee: iam.IGrantable): iam.Grant {
    return this.grantInspect(grantee).combine(
      this.grant(grantee, [
        this.writes({
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [DISCARDS, 'audit#*'] },
        }),
        ...this.machine(),
      ]),
    );
  }

  /** To read message bodies in the dead-letter queue, which may hold personal data. A look hides the message for its duration. */
  public grantReadBody(grantee: iam.IGrantable): iam.Grant {
    const queues = this.queues.map(({ deadLetterQueue }) => deadLetterQueue);
    const keys = new Set(queues.flatMap(({ encryptionMasterKey }) => encryptionMasterKey ?? []));
    return this.grant(grantee, [
      {
        actions: ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
        resources: queues.map(({ queueArn }) => queueArn),
      },
      ...(keys.size === 0
        ? []
        : [{ actions: ['kms:Decrypt'], resources: [...keys].map(({ keyArn }) => keyArn) }]),
    ]);
  }

  private writes(conditions: Record<string, unknown>): iam.PolicyStatementProps {
    return { actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem'], resources: this.tables(), conditions };
  }

  private machine(): iam.PolicyStatementProps[] {
    const machines = new Set(this.queues.map(({ redrive }) => redrive.stateMachine.stateMachineArn));
    return [
      { actions: ['states:StartExecution'], resources: [...machines] },
      // Wakes a paused run by its task token; IAM knows no resource for that.
      // https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsstepfunctions.html
      { actions: ['states:SendTaskSuccess'], resources: ['*'] },
      ...this.keys('kms:Decrypt', 'kms:GenerateDataKey'),
    ];
  }

  private tables(): string[] {
    return [...new Set(this.queues.map(({ failureStore }) => failureStore.table.tableArn))];
  }

  private keys(...actions: string[]): iam.PolicyStatementProps[] {
    const keys = new Set(this.queues.flatMap(({ failureStore }) => failureStore.table.encryptionKey ?? []));
    return keys.size === 0 ? [] : [{ actions, resources: [...keys].map(({ keyArn }) => keyArn) }];
  }

  private grant(grantee: iam.IGrantable, statements: readonly iam.PolicyStatementProps[]): iam.Grant {
    return statements
      .map(({ actions = [], resources = [], conditions }) =>
        iam.Grant.addToPrincipal({
          grantee,
          actions: [...actions],
          resourceArns: [...resources],
          ...(conditions === undefined
            ? {}
            : { conditions: conditions as Record<string, Record<string, unknown>> }),
        }),
      )
      .reduce((all, one) => all.combine(one));
  }
}
