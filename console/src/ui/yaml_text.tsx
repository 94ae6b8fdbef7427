import '../editor/editor.css';
import './yaml_text.css';
import { isInText, type Token, tokensOf } from '../editor/yaml_tokens';

/** The line in parts: what has a colour, and what stands between. */
function Line({ text, tokens }: { text: string; tokens: readonly Token[] }) {
  return (
    <span class="line">
      {tokens.map(({ from, to, kind }, index) => (
        <>
          {text.slice(tokens[index - 1]?.to ?? 0, from)}
          <span class={kind}>{text.slice(from, to)}</span>
        </>
      ))}
      {text.slice(tokens.at(-1)?.to ?? 0)}
      {'\n'}
    </span>
  );
}

/** YAML in colours with numbered lines, to read and to copy from. */
export function YamlText({ text, label }: { text: string; label: string }) {
  const lines = text.trimEnd().split('\n');
  const lineAt = (row: number) => lines[row] ?? '';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    // biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark
    <pre class="yaml numbered" role="group" aria-label={label} tabIndex={0}>
      {lines.map((line, row) => {
        const all: Token = { from: 0, to: line.length, kind: 'value' };
        const tokens = isInText(lineAt, row) ? [all] : tokensOf(line);
        return <Line key={row} text={line} tokens={tokens} />;
      })}
    </pre>
  );
}
