import { objectHref } from '../route';

/** Each leads to its claim, where its files are. */
export function ClaimLinks({ namespace, names }: { namespace: string; names: readonly string[] }) {
  if (names.length === 0) return <>-</>;
  return (
    <>
      {names.map((name) => (
        <div key={name}>
          <a href={objectHref('volumes', namespace, name)}>{name}</a>
        </div>
      ))}
    </>
  );
}
