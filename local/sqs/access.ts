import type { Environment, Identity } from '../gateway/service';
import type { Queue } from './queue';
import { SqsError } from './sqs-error';

/** Batch calls need the right of the single one. https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html */
const SINGLE: Readonly<Record<string, string>> = {
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
};

/** On the key of an encrypted queue. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html */
const KEY_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  SendMessage: ['kms:GenerateDataKey', 'kms:Decrypt'],
  ReceiveMessage: ['kms:Decrypt'],
};

export class Access {
  constructor(private readonly environment: Environment) {}

  /** Throws AccessDenied when the caller may not do this to the queue, or not use its key. */
  check(identity: Identity, operation: string, queue: Queue | undefined): void {
    const action = SINGLE[operation] ?? operation;
    this.demand(identity, `sqs:${action}`, queue?.arn ?? '*');
    if (queue !== undefined)
      for (const right of KEY_RIGHTS[action] ?? []) {
        const key = this.keyOf(queue);
        if (key !== undefined) this.demand(identity, right, key);
      }
  }

  /** A move task acts with the rights of its caller. */
  checkMove(
    identity: Identity,
    operation: string,
    source: Queue | undefined,
    destination: Queue | undefined,
  ): void {
    this.check(identity, operation, source);
    if (operation === 'ListMessageMoveTasks') return;
    for (const action of ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'])
      this.check(identity, action, source);
    if (operation === 'StartMessageMoveTask' && destination !== undefined)
      this.check(identity, 'SendMessage', destination);
  }

  private demand(identity: Identity, action: string, resource: string): void {
    const refusal = this.environment.authorize({ identity, action, resource });
    if (refusal !== undefined) throw new SqsError('AccessDenied', refusal, 403);
  }

  /** Undefined where no customer key is used. */
  private keyOf({ attributes: { KmsMasterKeyId: key } }: Queue): string | undefined {
    if (!key || key.startsWith('alias/') || key.includes(':alias/')) return undefined;
    const { region, account } = this.environment;
    return key.startsWith('arn:') ? key : `arn:aws:kms:${region}:${account}:key/${key}`;
  }
}
