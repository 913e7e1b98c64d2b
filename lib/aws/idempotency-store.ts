import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Claim, ClaimAnswer, IdempotencyStore } from '../core/idempotency';
import { IDEMPOTENCY_ATTRIBUTES } from '../core/store-keys';

const { key, status, expiry, inProgressExpiry, data, validation } = IDEMPOTENCY_ATTRIBUTES;

const NAMES = { '#key': key, '#status': status, '#expiry': expiry, '#hold': inProgressExpiry };
/** Free: never there, out of date (TTL is lazy), or held by somebody whose time is over. */
const FREE = 'attribute_not_exists(#key) OR #expiry < :now OR (#status = :inProgress AND #hold < :nowMs)';
const OURS = '#status = :inProgress AND #hold = :holdUntil';

/**
 * Records as Powertools for AWS Lambda writes them, so that consumers in other languages can share the table.
 * https://docs.powertools.aws.dev/lambda/typescript/latest/features/idempotency/
 */
export class DynamoDbIdempotencyStore implements IdempotencyStore {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  async claim(claim: Claim): Promise<ClaimAnswer> {
    try {
      const { Attributes: before } = await this.client.send(
        new PutItemCommand({
          TableName: this.table,
          Item: {
            [key]: { S: claim.key },
            [status]: { S: 'INPROGRESS' },
            [expiry]: { N: String(claim.expiresAt) },
            [inProgressExpiry]: { N: String(claim.holdUntilMs) },
            [validation]: { S: claim.fingerprint },
          },
          ConditionExpression: FREE,
          ExpressionAttributeNames: NAMES,
          ExpressionAttributeValues: {
            ':now': { N: String(Math.floor(claim.nowMs / 1000)) },
            ':nowMs': { N: String(claim.nowMs) },
            ':inProgress': { S: 'INPROGRESS' },
          },
          ReturnValues: 'ALL_OLD',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      const leftover = before?.[status]?.S === 'INPROGRESS' && before[validation]?.S === claim.fingerprint;
      return { kind: 'claimed', leftover };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return answerOf(error.Item ?? {}, claim);
    }
  }

  async complete(claim: Claim, result?: string): Promise<void> {
    await this.client.send(
      new UpdateItemCommand({ TableName: this.table, ...this.completion(claim, result) }),
    );
  }

  async completeWith(claim: Claim, writes: readonly unknown[]): Promise<void> {
    await this.client.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          ...(writes as TransactWriteItem[]),
          { Update: { TableName: this.table, ...this.completion(claim, undefined) } },
        ],
      }),
    );
  }

  /** Lets the next attempt begin at once; somebody else's claim is left alone. */
  async release(claim: Claim): Promise<void> {
    try {
      await this.client.send(
        new DeleteItemCommand({
          TableName: this.table,
          Key: { [key]: { S: claim.key } },
          ConditionExpression: OURS,
          ExpressionAttributeNames: { '#status': status, '#hold': inProgressExpiry },
          ExpressionAttributeValues: ours(claim),
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  /** Ends the hold and keeps the record: the next attempt knows that the outcome is uncertain. */
  async leaveUncertain(claim: Claim): Promise<void> {
    await this.client.send(
      new UpdateItemCommand({
        TableName: this.table,
        Key: { [key]: { S: claim.key } },
        UpdateExpression: 'SET #hold = :over',
        ConditionExpression: OURS,
        ExpressionAttributeNames: { '#status': status, '#hold': inProgressExpiry },
        ExpressionAttributeValues: { ...ours(claim), ':over': { N: '0' } },
      }),
    );
  }

  private completion(claim: Claim, result: string | undefined) {
    return {
      Key: { [key]: { S: claim.key } },
      UpdateExpression: `SET #status = :completed, #expiry = :expiry${result === undefined ? '' : ', #data = :data'} REMOVE #hold`,
      ConditionExpression: OURS,
      ExpressionAttributeNames: {
        '#status': status,
        '#expiry': expiry,
        '#hold': inProgressExpiry,
        ...(result === undefined ? {} : { '#data': data }),
      },
      ExpressionAttributeValues: {
        ...ours(claim),
        ':completed': { S: 'COMPLETED' },
        ':expiry': { N: String(claim.expiresAt) },
        ...(result === undefined ? {} : { ':data': { S: result } }),
      },
    };
  }
}

function ours(claim: Claim): Record<string, AttributeValue> {
  return { ':inProgress': { S: 'INPROGRESS' }, ':holdUntil': { N: String(claim.holdUntilMs) } };
}

function answerOf(item: Record<string, AttributeValue>, claim: Claim): ClaimAnswer {
  const known = item[validation]?.S;
  if (known !== undefined && known !== '' && known !== claim.fingerprint) return { kind: 'other-payload' };
  if (item[status]?.S === 'COMPLETED') return { kind: 'completed' };
  return { kind: 'held', untilMs: Number(item[inProgressExpiry]?.N ?? claim.nowMs) };
}
