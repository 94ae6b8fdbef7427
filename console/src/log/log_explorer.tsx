import { useSignal } from '@preact/signals';
import type { LinePlace } from './line_place';
import { LogPanel } from './log_panel';
import {
  canHaveRunBefore,
  chosenPods,
  containersOf,
  type LogChoice,
  sourcesOf,
  type TaggedPod,
} from './sources';
import { logWords } from './words';

interface LogExplorerProps {
  namespace: string;
  pods: readonly TaggedPod[];
  /** What a file of all together is called, without its ending. */
  name: string;
  /** The replica to begin with, by its short name; empty: all. */
  first?: string;
  /** An address that leads to a line, with the replica that is chosen. */
  href?: (place: LinePlace, replica: string) => string;
  wanted?: LinePlace | undefined;
}

function Choice(props: {
  label: string;
  value: string;
  options: readonly { value: string; text: string }[];
  choose: (value: string) => void;
}) {
  return (
    <label>
      {props.label}{' '}
      <select value={props.value} onChange={(event) => props.choose(event.currentTarget.value)}>
        {props.options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ChoicesProps {
  /** All, and those that are shown. */
  pods: readonly TaggedPod[];
  shown: readonly TaggedPod[];
  choice: LogChoice;
  change: (part: Partial<LogChoice>) => void;
}

function Choices({ pods, shown, choice, change }: ChoicesProps) {
  const t = logWords.value;
  const containers = containersOf(shown);
  const names = containers.map((value) => ({ value, text: value }));
  const several = shown.length > 1;
  const noneBefore = !choice.previous && !canHaveRunBefore(shown);
  return (
    <div class="bar log-choice">
      {pods.length > 1 && (
        <Choice
          label={t.replica}
          value={several ? '' : choice.replica}
          options={[
            { value: '', text: t.allReplicas },
            ...pods.map(({ tag }) => ({ value: tag, text: tag })),
          ]}
          choose={(replica) => change({ replica })}
        />
      )}
      {containers.length > 1 && (
        <Choice
          label={t.container}
          value={choice.container || (several ? '' : (containers[0] ?? ''))}
          options={several ? [{ value: '', text: t.mainContainers }, ...names] : names}
          choose={(container) => change({ container })}
        />
      )}
      <label>
        <input
          type="checkbox"
          disabled={noneBefore}
          checked={choice.previous}
          onChange={(event) => change({ previous: event.currentTarget.checked })}
        />
        {t.previous}
        {noneBefore && <small>{t.noPrevious}</small>}
      </label>
      {several && pods.length > shown.length && (
        <span class="note">{t.tooMany(shown.length, pods.length)}</span>
      )}
    </div>
  );
}

/** The logs of one pod, or of several together or one by one. */
export function LogExplorer(props: LogExplorerProps) {
  const { namespace, pods, name, first = '', href, wanted } = props;
  const t = logWords.value;
  const chosen = useSignal<LogChoice>({ replica: first, container: '', previous: false });
  if (pods.length === 0) return <p>{t.none}</p>;
  const choice = chosen.value;
  const shown = chosenPods(pods, choice);
  const merged = shown.length > 1;
  const title = merged ? name : (shown[0]?.name ?? name);
  const { replica, container, previous } = choice;
  return (
    <div>
      <Choices
        pods={pods}
        shown={shown}
        choice={choice}
        change={(part) => {
          chosen.value = { ...choice, ...part };
        }}
      />
      <LogPanel
        key={`${merged || shown[0]?.tag} ${container} ${previous}`}
        label={`${t.logs}: ${title}`}
        sources={sourcesOf(namespace, shown, choice)}
        merged={merged}
        fileName={`${title}.log`}
        href={href && ((place) => href(place, replica))}
        wanted={wanted}
      />
    </div>
  );
}
