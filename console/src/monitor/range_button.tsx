import { absoluteTime } from '../time';
import { Menu } from '../ui/menu';
import { type End, type Life, localText, parseLocal, type Range } from './range';
import { type MonitorWords, monitorWords } from './words';

const spans = [5, 15, 60, 360, 1440];

function nameOf(end: End, t: MonitorWords): string {
  if (end.kind === 'ago') return t.minutesAgo(end.minutes);
  if (end.kind !== 'at') return t[end.kind];
  const { date, time } = absoluteTime(new Date(end.time));
  return `${date} ${time}`;
}

/** An end as the text of an option, and back. */
function keyOf(end: End): string {
  return end.kind === 'ago' ? String(end.minutes) : end.kind;
}

function endOf(key: string, before: number): End {
  if (key === 'start' || key === 'now' || key === 'finish') return { kind: key };
  if (key === 'at') return { kind: 'at', time: before };
  return { kind: 'ago', minutes: Number(key) };
}

function EndField(props: {
  label: string;
  timeLabel: string;
  end: End;
  choices: End[];
  /** The time that it stands for at the moment: where a chosen one begins. */
  time: number;
  choose: (end: End) => void;
}) {
  const t = monitorWords.value;
  const { label, timeLabel, end, choices, time, choose } = props;
  return (
    <p>
      <label>
        {label}{' '}
        <select
          value={keyOf(end)}
          onChange={(event) => choose(endOf(event.currentTarget.value, time))}
        >
          {choices.map((choice) => (
            <option key={keyOf(choice)} value={keyOf(choice)}>
              {nameOf(choice, t)}
            </option>
          ))}
          <option value="at">{t.chosenTime}</option>
        </select>
      </label>
      {end.kind === 'at' && (
        <input
          type="datetime-local"
          step="1"
          aria-label={timeLabel}
          value={localText(end.time)}
          onChange={(event) => {
            const chosen = parseLocal(event.currentTarget.value);
            if (chosen !== undefined) choose({ kind: 'at', time: chosen });
          }}
        />
      )}
    </p>
  );
}

function Face({ text }: { text: string }) {
  return (
    <span class="range-face">
      <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" />
        <path d="M8 4.5V8l2.5 1.5" />
      </svg>
      {text}
    </span>
  );
}

/** `From start to now`; opens a picker for both ends. */
export function RangeButton(props: {
  card: string;
  range: Range;
  life: Life;
  choose: (range: Range) => void;
}) {
  const t = monitorWords.value;
  const { card, range, life, choose } = props;
  const now = Date.now();
  const last: End = { kind: life.finish === undefined ? 'now' : 'finish' };
  const toChoices: End[] = life.finish === undefined ? [last] : [last, { kind: 'now' }];
  const ago = spans.map((minutes): End => ({ kind: 'ago', minutes }));
  const text = t.range(nameOf(range.from, t), nameOf(range.to, t));
  return (
    <Menu face={<Face text={text} />} label={`${t.rangeOf(card)}: ${text}`} class="soft">
      {() => (
        <div class="range-picker">
          <EndField
            label={t.from}
            timeLabel={t.fromTime}
            end={range.from}
            choices={[{ kind: 'start' }, ...ago]}
            time={life.start ?? now - 3_600_000}
            choose={(from) => choose({ ...range, from })}
          />
          <EndField
            label={t.to}
            timeLabel={t.toTime}
            end={range.to}
            choices={toChoices}
            time={life.finish ?? now}
            choose={(to) => choose({ ...range, to })}
          />
        </div>
      )}
    </Menu>
  );
}
