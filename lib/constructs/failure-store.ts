import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { STORE_ATTRIBUTES } from '../core/store-keys';

export interface FailureStoreProps {
  /** Default: a key of AWS's own. */
  readonly encryptionKey?: IKey;
  /** Default RETAIN: it tells what happened to messages. */
  readonly removalPolicy?: RemovalPolicy;
}

/**
 * The DynamoDB table of failures, failure groups, runs, ledgers and the audit trail. An index beside the dead-letter
 * queues, without message bodies: losing it loses no message. One table serves any number of queues.
 */
export class FailureStore extends Construct {
  public readonly table: dynamodb.Table;

  constructor(scope: Construct, id: string, props: FailureStoreProps = {}) {
    super(scope, id);
    const { partition, sort, indexName, indexPartition, indexSort, expiry } = STORE_ATTRIBUTES;
    const text = (name: string) => ({ name, type: dynamodb.AttributeType.STRING });
    this.table = new dynamodb.Table(this, 'Table', {
      partitionKey: text(partition),
      sortKey: text(sort),
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: expiry,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
      ...(props.encryptionKey === undefined
        ? { encryption: dynamodb.TableEncryption.AWS_MANAGED }
        : { encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED, encryptionKey: props.encryptionKey }),
    });
    this.table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: text(indexPartition),
      sortKey: text(indexSort),
    });
  }
}
