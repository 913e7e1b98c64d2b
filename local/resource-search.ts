import type { DeployedResource } from './cloudformation/stack-deployment';

/** CDK calls the one resource that a construct stands for by one of these names. */
const MAIN_CHILD = /\/(Resource|Default)$/;

/** By type, logical id, `STACK/LOGICALID` or construct path. */
export function findResources(
  resources: readonly DeployedResource[],
  what: string,
): readonly DeployedResource[] {
  return resources.filter(({ stack, logicalId, type, path }) => {
    if (type === what || logicalId === what || `${stack}/${logicalId}` === what) return true;
    return path !== undefined && (path === what || path.replace(MAIN_CHILD, '') === what);
  });
}
