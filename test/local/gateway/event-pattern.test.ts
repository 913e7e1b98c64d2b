import { describe, expect, it } from 'vitest';
import { checkPattern, matches } from '../../../local/gateway/event-pattern';

const EVENT = {
  source: 'shop.orders',
  'detail-type': 'Paid',
  resources: ['arn:one', 'arn:two'],
  detail: {
    state: 'PAID',
    total: 42,
    note: null,
    urgent: true,
    file: 'in/2026/a.json',
    lines: [{ sku: 'x' }, { sku: 'y' }],
  },
};
const inDetail = (name: string, rules: unknown[]) => ({ detail: { [name]: rules } });

describe('an event pattern', () => {
  it.each<[object, boolean]>([
    [{ source: ['shop.orders'], 'detail-type': ['Paid', 'Open'] }, true],
    [{ source: ['shop.orders'], 'detail-type': ['Open'] }, false],
    [{ resources: ['arn:two'] }, true],
    [inDetail('note', [null]), true],
    [inDetail('urgent', [true]), true],
    [inDetail('urgent', ['true']), false],
    [inDetail('total', [42]), true],
    [inDetail('total', ['42']), false],
    [inDetail('total', [{ numeric: ['>', 40, '<', 50] }]), true],
    [inDetail('total', [{ numeric: ['=', 41] }]), false],
    [inDetail('state', [{ prefix: 'PA' }]), true],
    [inDetail('state', [{ prefix: { 'equals-ignore-case': 'pa' } }]), true],
    [inDetail('state', [{ suffix: 'ID' }]), true],
    [inDetail('state', [{ 'equals-ignore-case': 'paid' }]), true],
    [inDetail('file', [{ wildcard: 'in/*/*.json' }]), true],
    [inDetail('file', [{ wildcard: 'in/*.xml' }]), false],
    [inDetail('file', [{ wildcard: 'in/2026/a?json' }]), false],
    [inDetail('state', [{ 'anything-but': 'PAID' }]), false],
    [inDetail('state', [{ 'anything-but': ['OPEN', 'SENT'] }]), true],
    [inDetail('state', [{ 'anything-but': { prefix: 'PA' } }]), false],
    [inDetail('file', [{ 'anything-but': { suffix: ['.xml', '.csv'] } }]), true],
    [inDetail('file', [{ 'anything-but': { wildcard: '*.json' } }]), false],
    [inDetail('missing', [{ 'anything-but': 'x' }]), false],
    [inDetail('missing', [{ exists: false }]), true],
    [inDetail('state', [{ exists: false }]), false],
    [{ detail: { deep: { missing: [{ exists: false }] } } }, true],
    [{ detail: { deep: { missing: [{ exists: true }] } } }, false],
    [{ detail: { lines: { sku: ['y'] } } }, true],
    [{ detail: { lines: { sku: ['z'] } } }, false],
    [{ detail: { $or: [{ state: ['OPEN'] }, { total: [42] }] } }, true],
    [{ detail: { $or: [{ state: ['OPEN'] }, { total: [43] }] } }, false],
  ])('%j: %s', (pattern, expected) => {
    checkPattern(pattern);
    expect(matches(pattern as never, EVENT)).toBe(expected);
  });

  it.each<[object, RegExp]>([
    [{}, /at least one field/],
    [{ source: 'shop' }, /'source' must be an object or an array/],
    [{ detail: { ip: [{ cidr: '10.0.0.0/8' }] } }, /'ip' has cidr, which is not emulated.*wildcard/],
    [{ detail: { total: [{ numeric: ['>'] }] } }, /'total' has a numeric rule that is none/],
    [{ detail: { a: [{ 'anything-but': { cidr: 'x' } }] } }, /has cidr/],
  ])('%j is refused', (pattern, message) => {
    expect(() => checkPattern(pattern)).toThrow(message);
  });
});
