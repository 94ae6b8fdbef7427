// Places in an object, as the API spells them: spec.replicaSpecs[0].template, metadata.labels[team].

export type Path = (string | number)[];

export function parseFieldPath(text: string): Path {
  const path: Path = [];
  for (const [, name, inBrackets] of text.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    if (name !== undefined) path.push(name);
    else if (/^\d+$/.test(inBrackets ?? '')) path.push(Number(inBrackets));
    else path.push(inBrackets ?? '');
  }
  return path;
}

export function fieldPathText(path: readonly (string | number)[]): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number' || /[.[\]/]/.test(part)) return `[${part}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}
