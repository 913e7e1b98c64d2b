import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { IDEMPOTENCY_ATTRIBUTES } from '../core/store-keys';

export interface IdempotencyTableProps {
  /** Default: a key of AWS's own. */
  readonly encryptionKey?: IKey;
  /** Default RETAIN: without it, redriven messages could be done twice. */
  readonly removalPolicy?: RemovalPolicy;
}

/**
 * The DynamoDB table that remembers business operations, so that retries and redrives never repeat one. Its records are
 * those of Powertools for AWS Lambda: consumers in Python or Java can share it.
 */
export class IdempotencyTable extends Construct {
  public readonly table: dynamodb.Table;

  constructor(scope: Construct, id: string, props: IdempotencyTableProps = {}) {
    super(scope, id);
    this.table = new dynamodb.Table(this, 'Table', {
      // The only key is the operation: no partition runs hot.
      partitionKey: { name: IDEMPOTENCY_ATTRIBUTES.key, type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: IDEMPOTENCY_ATTRIBUTES.expiry,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
      ...(props.encryptionKey === undefined
        ? { encryption: dynamodb.TableEncryption.AWS_MANAGED }
        : { encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED, encryptionKey: props.encryptionKey }),
    });
  }
}
