import { ALARM_RULES } from './alarm-rules';
import { CONCURRENCY_RULES } from './concurrency-rules';
import { CONSUMER_RULES } from './consumer-rules';
import { DEAD_LETTER_RULES } from './dead-letter-rules';
import { LOOP_RULES } from './loop-rules';
import type { Finding, Rule } from './rule';
import { SHAPE_RULES } from './shape-rules';
import { TemplateModel } from './template-model';
import { TIMING_RULES } from './timing-rules';
import { WATCHING_RULES } from './watching-rules';

/** Every rule, once. */
export const RULES: readonly Rule[] = [
  ...TIMING_RULES,
  ...CONCURRENCY_RULES,
  ...CONSUMER_RULES,
  ...DEAD_LETTER_RULES,
  ...WATCHING_RULES,
  ...ALARM_RULES,
  ...LOOP_RULES,
  ...SHAPE_RULES,
];

export interface RuleFinding extends Finding {
  readonly rule: Rule;
}

/** All that is wrong with a template, errors first. A rule that can't read a template says nothing about it. */
export function checkTemplate(
  template: ConstructorParameters<typeof TemplateModel>[0],
  rules: readonly Rule[] = RULES,
): RuleFinding[] {
  const model = new TemplateModel(template);
  const found = rules.flatMap((rule) => rule.check(model).map((finding) => ({ ...finding, rule })));
  return found.sort((a, b) => Number(a.rule.severity === 'warning') - Number(b.rule.severity === 'warning'));
}
