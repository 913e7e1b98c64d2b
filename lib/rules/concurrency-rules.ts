import { finding, type Rule } from './rule';
import { numberOf, objectOf } from './template-model';

const SCALING = 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html';

/** How often a function may be called at once: field rules F05 and F06. */
export const CONCURRENCY_RULES: readonly Rule[] = [
  {
    id: 'MAXIMUM_CONCURRENCY_LOW',
    severity: 'error',
    what: 'maximum concurrency below 2',
    why: 'refused at deploy (F06)',
    source: SCALING,
    remedy: 'at least 2; a FIFO queue with one message group for one at a time',
    check: (model) =>
      model.mappings().flatMap(({ logicalId, properties }) => {
        const value = numberOf(objectOf(properties['ScalingConfig'])?.['MaximumConcurrency']);
        return value === undefined || value >= 2
          ? []
          : [finding(logicalId, 'ScalingConfig.MaximumConcurrency', `${value}; at least 2`)];
      }),
  },
  {
    id: 'CONCURRENCY_ABOVE_RESERVE',
    severity: 'error',
    what: 'mappings may call a function more often at once than is reserved for it',
    why: 'throttled polls use receives up; messages are dead-lettered without an attempt (F06)',
    source: SCALING,
    remedy: 'the sum of all maximum concurrencies at most the reserve',
    check: (model) =>
      model.ofType('AWS::Lambda::Function').flatMap(({ logicalId, properties }) => {
        const reserved = numberOf(properties['ReservedConcurrentExecutions']);
        const values = model
          .mappings()
          .filter((mapping) => model.functionOf(mapping)?.logicalId === logicalId)
          .map(
            (mapping) => numberOf(objectOf(mapping.properties['ScalingConfig'])?.['MaximumConcurrency']) ?? 0,
          );
        const sum = values.reduce((total, value) => total + value, 0);
        return reserved === undefined || sum <= reserved
          ? []
          : [
              finding(
                logicalId,
                'ReservedConcurrentExecutions',
                `${reserved} reserved, ${sum} by its mappings`,
              ),
            ];
      }),
  },
  {
    id: 'RESERVE_WITHOUT_MAXIMUM',
    severity: 'warning',
    what: 'a small reserve without a maximum concurrency on the mapping',
    why: 'polling starts at five batches at once whatever the reserve: one message in ten is never handled (F05)',
    source: SCALING,
    remedy: 'ScalingConfig.MaximumConcurrency on the mapping',
    check: (model) =>
      model.mappings().flatMap((mapping) => {
        const reserved = numberOf(model.functionOf(mapping)?.properties['ReservedConcurrentExecutions']);
        const maximum = objectOf(mapping.properties['ScalingConfig'])?.['MaximumConcurrency'];
        return reserved === undefined || reserved >= 5 || maximum !== undefined
          ? []
          : [finding(mapping.logicalId, 'ScalingConfig', `${reserved} reserved, no maximum concurrency`)];
      }),
  },
  {
    id: 'POLLERS_AND_MAXIMUM',
    severity: 'error',
    what: 'provisioned pollers together with a maximum concurrency',
    why: 'refused at deploy (F06)',
    source: SCALING,
    remedy: 'one of the two',
    check: (model) =>
      model
        .mappings()
        .flatMap(({ logicalId, properties }) =>
          objectOf(properties['ProvisionedPollerConfig']) !== undefined &&
          objectOf(properties['ScalingConfig']) !== undefined
            ? [finding(logicalId, 'ProvisionedPollerConfig', 'with ScalingConfig')]
            : [],
        ),
  },
];
