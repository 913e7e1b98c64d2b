import { randomUUID } from 'node:crypto';
import { type Answer, type Call, type Json, LambdaError } from './api-call';
import type { EventSourceMapping } from './event-source-mapping';
import { functionNameOf } from './function-config';
import type { LambdaControl } from './lambda-control';
import { changedMapping, mappingOf } from './mapping-config';

/** The calls about event source mappings. */
export class MappingApi {
  constructor(private readonly service: LambdaControl) {}

  createMapping({ body }: Call): Answer {
    const config = mappingOf(randomUUID(), JSON.parse(body.toString('utf8')) as Json);
    if (this.service.find(config.functionName) === undefined)
      throw new LambdaError(404, 'ResourceNotFoundException', `Function not found: ${config.functionName}`);
    const same = [...this.service.mappings.values()].find(
      ({ config: { queueArn, functionName } }) =>
        queueArn === config.queueArn && functionName === config.functionName,
    );
    if (same !== undefined)
      throw new LambdaError(
        409,
        'ResourceConflictException',
        `The event source arn ("${config.queueArn}") and function ("${config.functionName}") provided mapping already exists. Please update or delete the existing mapping with UUID ${same.config.uuid}`,
      );
    const mapping = this.service.map(config);
    return { status: 202, body: this.describeMapping(mapping) };
  }

  listMappings({ query }: Call): Answer {
    const name = query.get('FunctionName');
    const source = query.get('EventSourceArn');
    const found = [...this.service.mappings.values()].filter(
      ({ config }) =>
        (name === null || config.functionName === functionNameOf(name)) &&
        (source === null || config.queueArn === source),
    );
    return {
      status: 200,
      body: { EventSourceMappings: found.map((mapping) => this.describeMapping(mapping)) },
    };
  }

  getMapping({ name }: Call): Answer {
    return { status: 200, body: this.describeMapping(this.mapping(name)) };
  }

  updateMapping({ name, body }: Call): Answer {
    const mapping = this.mapping(name);
    const given = JSON.parse(body.toString('utf8')) as Json;
    this.service.remap(mapping, changedMapping(mapping.config, given));
    return { status: 202, body: this.describeMapping(mapping) };
  }

  deleteMapping({ name }: Call): Answer {
    const described = this.describeMapping(this.mapping(name));
    this.service.unmap(name);
    return { status: 202, body: { ...described, State: 'Deleting' } };
  }

  private mapping(uuid: string): EventSourceMapping {
    const mapping = this.service.mappings.get(uuid);
    if (mapping === undefined)
      throw new LambdaError(404, 'ResourceNotFoundException', 'The resource you requested does not exist.');
    return mapping;
  }

  private describeMapping(mapping: EventSourceMapping): Json {
    const { config } = mapping;
    const { region, account } = this.service.environment;
    return {
      UUID: config.uuid,
      EventSourceMappingArn: `arn:aws:lambda:${region}:${account}:event-source-mapping:${config.uuid}`,
      BatchSize: config.batchSize,
      MaximumBatchingWindowInSeconds: config.window,
      EventSourceArn: config.queueArn,
      FunctionArn: this.service.find(config.functionName)?.config.arn,
      State: mapping.state,
      StateTransitionReason: 'USER_INITIATED',
      LastProcessingResult: mapping.lastResult,
      FunctionResponseTypes: config.reportsItemFailures ? ['ReportBatchItemFailures'] : [],
      ...(config.filters.length === 0
        ? {}
        : { FilterCriteria: { Filters: config.filters.map((Pattern) => ({ Pattern })) } }),
      ...(config.maximumConcurrency === undefined
        ? {}
        : { ScalingConfig: { MaximumConcurrency: config.maximumConcurrency } }),
    };
  }
}
