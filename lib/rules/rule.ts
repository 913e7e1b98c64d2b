import type { TemplateModel } from './template-model';

export type Severity = 'error' | 'warning';

/** Where a rule is broken, and by what. */
export interface Finding {
  readonly logicalId: string;
  readonly property: string;
  readonly message: string;
}

/** One way to set queues up wrong, as data. */
export interface Rule {
  /** Stable, upper snake case. */
  readonly id: string;
  readonly severity: Severity;
  readonly what: string;
  /** What happens in production, with the field's name for it. */
  readonly why: string;
  /** Documentation of AWS. */
  readonly source: string;
  readonly remedy: string;
  check(model: TemplateModel): Finding[];
}

export function finding(logicalId: string, property: string, message: string): Finding {
  return { logicalId, property, message };
}
