import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { request } from '../login';
import { CopyButton } from '../ui/copy';
import { firstImage, type ImageContents, lacksOf, needNames, needsOf } from './needs';
import { createWords } from './words';

/** Nobody is asked about each letter of an image's name. */
const patience = 300;

async function askContents(image: string): Promise<ImageContents | undefined> {
  const answer = await request('/image', { method: 'POST', body: JSON.stringify({ image }) });
  return answer.ok ? ((await answer.json()) as ImageContents) : undefined;
}

/** What the job's image lacks on this machine, and what brings it: said before somebody waits for the job to fail. */
export function Lacks({ value }: { value: unknown }) {
  const t = createWords.value;
  const needs = needsOf(value);
  const image = needs.length > 0 ? firstImage(value) : '';
  const contents = useSignal<ImageContents | undefined>(undefined);
  useEffect(() => {
    contents.value = undefined;
    if (image === '') return;
    let current = true;
    const look = () => {
      // Without an answer nothing is said: the job itself will tell.
      askContents(image).then(
        (found) => {
          if (current) contents.value = found;
        },
        () => undefined,
      );
    };
    const timer = setTimeout(look, patience);
    // Back from the terminal, where it may have been installed.
    addEventListener('focus', look);
    return () => {
      current = false;
      clearTimeout(timer);
      removeEventListener('focus', look);
    };
  }, [image]);
  const lacks = lacksOf(needs, image, contents.value);
  if (lacks.length === 0) return null;
  return (
    <section class="lacks" aria-label={t.lacks}>
      {lacks.map(({ need, command, inSources }) => (
        <div key={need}>
          <p>{t.lacksNeed(needNames[need], image)}</p>
          <p class="bar">
            <code>{command}</code>
            <CopyButton text={command} />
          </p>
          {inSources && (
            <p>
              {t.lacksInSources} <code>{inSources}</code>
            </p>
          )}
        </div>
      ))}
    </section>
  );
}
