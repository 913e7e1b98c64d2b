const LONGEST = 500;

/** What a person could be known by, and what opens doors. The order counts: longer shapes before their parts. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\bbearer\s+[\w.~+/=-]+/gi, 'Bearer [token]'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[token]'],
  [/\b(?:sk|pk|rk|ghp|gho|xox[abp])[_-][A-Za-z0-9_-]{8,}/g, '[token]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, '[token]'],
  [/[\w.%+-]+@[\w-]+(?:\.[\w-]+)+/g, '[email]'],
  [/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/g, '[iban]'],
  [/\b\d(?:[ -]?\d){12,18}\b/g, '[card]'],
  [/(?:\+|\b00)\d[\d ()/-]{6,}\d/g, '[phone]'],
  [/\b(?:\d{1,3}\.){3}\d{1,3}\b/g, '[address]'],
  [/\b\d{7,}\b/g, '[number]'],
];

/** Text without personal data, at most 500 characters. `own` are patterns of the user's, taken out first. */
export function redact(text: string, own: readonly RegExp[] = []): string {
  let safe = text.slice(0, 4 * LONGEST);
  for (const pattern of own)
    safe = safe.replace(new RegExp(pattern.source, withGlobal(pattern.flags)), '[redacted]');
  // Parsers quote what they could not read; an apostrophe inside a word opens nothing.
  safe = safe.replace(/(?<![A-Za-z0-9])(["'`])(?:(?!\1)[\s\S]){1,400}\1(?![A-Za-z])/g, '[text]');
  for (const [pattern, name] of PATTERNS) safe = safe.replace(pattern, name);
  return safe.length <= LONGEST ? safe : `${safe.slice(0, LONGEST - 1)}…`;
}

function withGlobal(flags: string): string {
  return flags.includes('g') ? flags : `${flags}g`;
}
