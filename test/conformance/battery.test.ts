import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startLocal } from '../../local/start-local';
import { runBattery, SUITES } from './battery';

it('the embedded engine behaves as documented in every check of the battery', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'battery-'));
  const assembly = path.join(folder, 'template.json');
  writeFileSync(assembly, JSON.stringify({ Resources: {} }));
  const engine = await startLocal({ assembly });
  try {
    const checks = Object.values(SUITES).flat();
    expect(checks.length).toBeGreaterThanOrEqual(90);
    expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length);
    expect(checks.filter(({ source }) => !source.startsWith('https://docs.aws.amazon.com/'))).toEqual([]);
    const results = await runBattery(engine.endpoint, checks);
    expect(
      results
        .filter(({ difference }) => difference !== undefined)
        .map(({ check, difference }) => `${check.name}: ${difference}`),
    ).toEqual([]);
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
