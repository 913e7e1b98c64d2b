import { Annotations, ArnFormat, Duration, Lazy, Names, Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { REDRIVE_ENVIRONMENT, registryName } from '../core/redrive-environment';
import { bundledCode } from './bundled-code';
import type { FailureStore } from './failure-store';
import { redriveDefinition } from './redrive-definition';
import { grantQueue, grantTable, REDRIVE_STEPS, type RedriveStep } from './redrive-grants';

/** A source queue with what belongs to it, as the redrive engine needs it. */
export interface RedriveQueueProps {
  /** Name by which operators call the queue: letters, digits, `_`, `.` and `-`, up to 80. */
  readonly name: string;
  readonly sourceQueue: IQueue;
  readonly deadLetterQueue: IQueue;
  /** Default: redrive goes straight to the source queue. */
  readonly replayQueue?: IQueue;
  /** Customer keys of the queues. Default: none. */
  readonly encryptionKeys?: IKey[];
  /** Alarms on the source queue, for the preflight check `alarms-quiet`. Default: not checked. */
  readonly alarmNames?: string[];
}

export interface RedriveStateMachineProps {
  /** Where runs and their ledgers are kept. */
  readonly failureStore: FailureStore;
}

/**
 * The Step Functions state machine that redrives dead-letter queues: preflight, canary, ramp at a rate, settle.
 * One serves all queues of a stack. Each queue is described in the parameter store as
 * `/cdk-redrive/STACK/QUEUE`, where the steps and the `redrive` command find it.
 */
export class RedriveStateMachine extends Construct {
  /** Takes `{"runId": "..."}` of a planned run in the failure store. */
  public readonly stateMachine: sfn.StateMachine;
  private readonly steps: Record<RedriveStep, lambda.Function>;
  private readonly failureTable: Table;
  private readonly mappings = new Map<string, lambda.IEventSourceMapping[]>();
  private readonly physicalName: string;

  constructor(scope: Construct, id: string, props: RedriveStateMachineProps) {
    super(scope, id);
    const stack = Stack.of(this);
    this.failureTable = props.failureStore.table;
    this.physicalName = Names.uniqueResourceName(this, { maxLength: 70, separator: '-' });
    const steps = REDRIVE_STEPS.map((step) => [step, this.step(step)] as const);
    this.steps = Object.fromEntries(steps) as Record<RedriveStep, lambda.Function>;
    grantTable(this.steps, this.failureTable);
    for (const step of [this.steps.settle, this.steps.fail])
      step.addToRolePolicy(
        new iam.PolicyStatement({
          actions: ['events:PutEvents'],
          resources: [stack.formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' })],
        }),
      );
    this.stateMachine = this.machine(stack);
  }

  /** Lets the engine redrive this queue, and grants each step exactly what it does. */
  public addQueue(queue: RedriveQueueProps): void {
    const { name, sourceQueue, deadLetterQueue, replayQueue, alarmNames } = queue;
    const stack = Stack.of(this);
    if (sourceQueue.fifo !== deadLetterQueue.fifo)
      Annotations.of(this).addError(
        `QUEUE_TYPES_DIFFER: '${name}' and its dead-letter queue must both be standard or both FIFO`,
      );
    const mappings: lambda.IEventSourceMapping[] = [];
    this.mappings.set(name, mappings);
    const parameterName = registryName(stack.stackName, name);
    new ssm.StringParameter(this, `Queue-${name}`, {
      parameterName,
      description: 'How the redrive command and the redrive steps find this queue',
      stringValue: Lazy.string({
        produce: () =>
          stack.toJsonString({
            name,
            fifo: sourceQueue.fifo,
            sourceUrl: sourceQueue.queueUrl,
            sourceArn: sourceQueue.queueArn,
            deadLetterUrl: deadLetterQueue.queueUrl,
            deadLetterArn: deadLetterQueue.queueArn,
            ...(replayQueue === undefined
              ? {}
              : { replayUrl: replayQueue.queueUrl, replayArn: replayQueue.queueArn }),
            ...(alarmNames === undefined ? {} : { alarmNames }),
            mappingIds: mappings.map((mapping) => mapping.eventSourceMappingId),
            failureTable: this.failureTable.tableName,
            stateMachineArn: this.stateMachine.stateMachineArn,
          }),
      }),
    });
    grantQueue(this.steps, {
      deadLetterQueue,
      destinations: replayQueue === undefined ? [sourceQueue] : [sourceQueue, replayQueue],
      ...(replayQueue === undefined ? {} : { replayQueue }),
      keys: queue.encryptionKeys ?? [],
      // By name: with a reference the template would be a circle.
      parameterArn: stack.formatArn({
        service: 'ssm',
        resource: `parameter${parameterName}`,
        arnFormat: ArnFormat.NO_RESOURCE_NAME,
      }),
    });
    if (alarmNames !== undefined) this.grantAlarms();
  }

  /** Lets preflight see whether a consumer of the queue is switched on. */
  public addMapping(queueName: string, mapping: lambda.IEventSourceMapping): void {
    this.mappings.get(queueName)?.push(mapping);
    this.steps.preflight.addToRolePolicy(
      new iam.PolicyStatement({
        actions: ['lambda:GetEventSourceMapping'],
        resources: [
          Stack.of(this).formatArn({
            service: 'lambda',
            resource: 'event-source-mapping',
            resourceName: mapping.eventSourceMappingId,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ],
      }),
    );
  }

  private grantAlarms(): void {
    // DescribeAlarms of named alarms has the alarm as its resource, and all of them where no name is known at synth.
    this.steps.preflight.addToRolePolicy(
      new iam.PolicyStatement({
        actions: ['cloudwatch:DescribeAlarms'],
        resources: [
          Stack.of(this).formatArn({
            service: 'cloudwatch',
            resource: 'alarm',
            resourceName: '*',
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ],
      }),
    );
  }

  private step(name: RedriveStep): lambda.Function {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    return new lambda.Function(this, title, {
      description: `cdk-redrive: the ${name} step of a redrive`,
      code: bundledCode(`redrive-${name}`),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.minutes(5),
      environment: {
        [REDRIVE_ENVIRONMENT.failureTable]: this.failureTable.tableName,
        [REDRIVE_ENVIRONMENT.registry]: registryName(Stack.of(this).stackName, ''),
      },
      logGroup: new logs.LogGroup(this, `${title}Logs`, { retention: logs.RetentionDays.ONE_MONTH }),
    });
  }

  private machine(stack: Stack): sfn.StateMachine {
    const arns = REDRIVE_STEPS.map((step) => [step, this.steps[step].functionArn] as const);
    const role = new iam.Role(this, 'Role', { assumedBy: new iam.ServicePrincipal('states.amazonaws.com') });
    new iam.ManagedPolicy(this, 'Policy', {
      description: 'What the redrive state machine may do',
      roles: [role],
      statements: [
        new iam.PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources: arns.map(([, arn]) => arn),
        }),
        // The machine hands over to itself: by name, since its policy can't wait for it.
        new iam.PolicyStatement({
          actions: ['states:StartExecution'],
          resources: [
            stack.formatArn({
              service: 'states',
              resource: 'stateMachine',
              resourceName: this.physicalName,
              arnFormat: ArnFormat.COLON_RESOURCE_NAME,
            }),
          ],
        }),
      ],
    });
    return new sfn.StateMachine(this, 'StateMachine', {
      stateMachineName: this.physicalName,
      role,
      definitionBody: sfn.DefinitionBody.fromString(
        stack.toJsonString(redriveDefinition(Object.fromEntries(arns) as Record<RedriveStep, string>)),
      ),
    });
  }
}
