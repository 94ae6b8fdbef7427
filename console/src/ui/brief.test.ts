import { describe, expect, it } from 'vitest';
import { brief, briefAtField } from './brief';

const rule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'";
const regex = "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9])*'";

describe('a refusal in brief', () => {
  it('leaves out the expression behind the rule', () => {
    expect(brief(`${rule} (e.g. 'my-name', ${regex})`)).toBe(`${rule} (e.g. 'my-name')`);
    expect(brief(`${rule} (${regex})`)).toBe(rule);
    expect(brief(`[a: x (e.g. 'b', ${regex}), c: y (e.g. 'd', ${regex})]`)).toBe(
      "[a: x (e.g. 'b'), c: y (e.g. 'd')]",
    );
  });

  it('is the whole of any other', () => {
    for (const text of ['', 'Required value', 'must be one of (a, b)']) {
      expect(brief(text)).toBe(text);
    }
  });

  it('does not repeat the value below its field', () => {
    expect(briefAtField(`Invalid value: "A \\"b": ${rule} (${regex})`)).toBe(rule);
    expect(briefAtField('Invalid value: -3: must be more')).toBe('must be more');
    expect(briefAtField('Required value')).toBe('Required value');
  });
});
