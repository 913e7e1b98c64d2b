import { readFileSync } from 'node:fs';
import type {
  IPolicyValidationContext,
  IPolicyValidationPlugin,
  PolicyValidationPluginReport,
  PolicyViolation,
} from 'aws-cdk-lib';
import { checkTemplate, RULES } from '../rules/rules';

export interface DeadLetterChecksProps {
  /** Rules that are left out, each with the reason why it does not count here: `{ FILTER_DROPS: 'the rest is noise' }`. */
  readonly acknowledged?: { [ruleId: string]: string };
  /** False: warnings are not reported. Default true. */
  readonly warnings?: boolean;
}

/**
 * Checks every queue and consumer of an app at synth, ours or not. Add it with `Validations.of(app).addPlugins(...)` or in
 * `policyValidationBeta1` of an App.
 */
export class DeadLetterChecks implements IPolicyValidationPlugin {
  public readonly name = 'cdk-redrive';
  public readonly ruleIds?: string[];
  private readonly props: DeadLetterChecksProps;

  constructor(props: DeadLetterChecksProps = {}) {
    const { acknowledged = {} } = props;
    const ruleIds = RULES.map(({ id }) => id);
    this.ruleIds = ruleIds;
    for (const [id, reason] of Object.entries(acknowledged)) {
      if (!ruleIds.includes(id)) throw new Error(`RULE_UNKNOWN: ${id} · allowed: ${ruleIds.join(', ')}`);
      if (reason.trim() === '') throw new Error(`REASON_MISSING: say why ${id} does not count here`);
    }
    this.props = props;
  }

  public validate(context: IPolicyValidationContext): PolicyValidationPluginReport {
    const { acknowledged = {}, warnings = true } = this.props;
    const rules = RULES.filter(
      ({ id, severity }) => !(id in acknowledged) && (warnings || severity === 'error'),
    );
    const violations: PolicyViolation[] = context.templatePaths.flatMap((templatePath) =>
      checkTemplate(JSON.parse(readFileSync(templatePath, 'utf8')), rules).map(
        ({ rule, logicalId, property, message }) => ({
          ruleName: rule.id,
          severity: rule.severity,
          description: `${rule.what}: ${message}. ${rule.why}`,
          fix: rule.remedy,
          ruleMetadata: { source: rule.source },
          violatingResources: [{ resourceLogicalId: logicalId, templatePath, locations: [property] }],
        }),
      ),
    );
    return { success: violations.every(({ severity }) => severity !== 'error'), violations };
  }
}
