import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ask } from '../api';
import { words } from '../i18n';
import { absoluteTime } from '../time';
import { ChartView } from './chart_view';
import { type Life, moves, type Range, timeOf, wholeRange } from './range';
import { RangeButton } from './range_button';
import {
  type CardName,
  chartsOf,
  metricsOf,
  type Source,
  timesOf,
  type UsageList,
  usagePath,
} from './usage';
import { monitorWords } from './words';

/** While something goes on, a card asks this often: as often as the server measures. */
const pace = 2000;

interface CardProps {
  name: CardName;
  source: Source;
  life: Life;
  perReplica: boolean;
  group: string;
  onAnswer?: (answer: UsageList) => void;
}

/** Asks again and again while the card is open, in sight, and there is something new to be told. */
function useUsage(
  { name, source, life, perReplica, onAnswer }: CardProps,
  range: Range,
  open: boolean,
) {
  const answer = useSignal<UsageList | undefined>(undefined);
  const problem = useSignal('');
  const again = useSignal(0);
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      const question = {
        from: timeOf(range.from, life, Date.now()),
        to: timeOf(range.to, life, Date.now()),
        // A step is two points at most, the least and the most in it.
        points: Math.min(1400, Math.max(120, body.current?.clientWidth ?? 600)),
        perReplica,
        metrics: metricsOf[name],
      };
      try {
        const told = await ask<UsageList>('GET', usagePath(source, question));
        if (ended) return;
        answer.value = told;
        problem.value = '';
        onAnswer?.(told);
      } catch (refused) {
        if (ended) return;
        problem.value = refused instanceof Error ? refused.message : String(refused);
      }
      if (moves(range, life)) timer = setTimeout(next, pace);
    };
    // A tab that nobody sees asks for nothing; it goes on when it is back.
    const next = () => {
      if (document.visibilityState === 'visible') void read();
      else timer = setTimeout(next, pace);
    };
    void read();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [open, JSON.stringify([source, range, life, perReplica]), again.value]);
  return { answer, problem, body, refresh: () => again.value++ };
}

function since(answer: UsageList): string {
  const { date, time, zone } = absoluteTime(new Date(answer.recordedSince));
  return `${date} ${time} ${zone}`;
}

function Charts({
  name,
  answer,
  group,
  life,
}: Pick<CardProps, 'name' | 'group' | 'life'> & { answer: UsageList }) {
  const t = monitorWords.value;
  const { items } = answer;
  if (items.length === 0) {
    return (
      <p class="note">
        {t.nothing} {t.kept(since(answer))}
      </p>
    );
  }
  const times = timesOf(items);
  const charts = chartsOf(name, items, t);
  const late = life.start !== undefined && Date.parse(answer.recordedSince) > life.start + 1000;
  return (
    <>
      {late && <p class="note">{t.incomplete(since(answer))}</p>}
      {charts.length === 0 && <p class="note">{t.noFigures}</p>}
      {charts.map((chart) => (
        <ChartView key={chart.id} chart={chart} times={times} group={group} />
      ))}
    </>
  );
}

/** A folding card with charts, its own time and its own refresh. */
export function MonitorCard(props: CardProps) {
  const t = monitorWords.value;
  const { name, life, group } = props;
  const chosen = useSignal<Range | undefined>(undefined);
  const open = useSignal(true);
  const range = chosen.value ?? wholeRange(life);
  const { answer, problem, body, refresh } = useUsage(props, range, open.value);
  const title = t[name];
  return (
    <section class="monitor-card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <RangeButton
          card={title}
          range={range}
          life={life}
          choose={(next) => {
            chosen.value = next;
          }}
        />
        <button
          type="button"
          class="plain blue"
          aria-label={t.refreshOf(title)}
          title={t.refreshOf(title)}
          onClick={refresh}
        >
          ↻
        </button>
        <button
          type="button"
          class="plain"
          aria-label={t.fold(title)}
          aria-expanded={open.value}
          onClick={() => {
            open.value = !open.value;
          }}
        >
          {open.value ? '▾' : '▸'}
        </button>
      </header>
      <div ref={body}>
        {open.value && problem.value && (
          <p class="problem" role="alert">
            {problem.value}
          </p>
        )}
        {open.value && !answer.value && !problem.value && <p>{words.value.loading}</p>}
        {open.value && answer.value && (
          <Charts name={name} answer={answer.value} group={group} life={life} />
        )}
      </div>
    </section>
  );
}
