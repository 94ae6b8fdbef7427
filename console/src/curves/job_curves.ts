import { type Signal, signal } from '@preact/signals';
import { ask } from '../api';
import {
  type Curve,
  type CurveAnswer,
  type CurveList,
  curvesPath,
  grownCurve,
  keyOf,
  missing,
  type Question,
  wholeCurve,
} from './curves';

/** More than a chart is wide; up to that many each is there, and smoothing is exact. */
const points = 1000;
/** While the job trains, it is asked for this often. */
const pace = 3000;

/**
 * The curves of one job as the server has them, as far as somebody looks at them: asked for again while the job trains,
 * and then only for what has come. Made when it is shown, gone with `close`.
 */
export class JobCurves {
  readonly list: Signal<CurveList | undefined> = signal(undefined);
  readonly problem = signal('');
  /** Changes when curves have. */
  readonly round = signal(0);

  #path: string;
  #curves = new Map<string, Curve>();
  /** More points of the part that is zoomed into. */
  #closer = new Map<string, Curve>();
  #part: { since: number; until: number } | undefined;
  #wanted = new Map<string, number>();
  #live = false;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;
  /** One thing after the other: an answer must not undo a later one. */
  #work: Promise<void> = Promise.resolve();

  /** `path` is the job's in the API. */
  constructor(path: string) {
    this.#path = path;
    this.refresh();
  }

  curve(run: string, tag: string): Curve | undefined {
    return this.#closer.get(keyOf(run, tag)) ?? this.#curves.get(keyOf(run, tag));
  }

  /** When it began, also while only a part is looked at. */
  begin(run: string, tag: string): number | undefined {
    return this.#curves.get(keyOf(run, tag))?.times[0];
  }

  curves(): Iterable<Curve> {
    return this.#curves.values();
  }

  /** While it trains: what was the last word a moment ago is not any more. */
  set live(live: boolean) {
    if (this.#live === live) return;
    this.#live = live;
    // What it wrote at its end.
    this.refresh();
  }

  want(tag: string): void {
    this.#wanted.set(tag, (this.#wanted.get(tag) ?? 0) + 1);
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.#do(() => this.#fill()), 30);
  }

  leave(tag: string): void {
    const users = (this.#wanted.get(tag) ?? 0) - 1;
    if (users > 0) this.#wanted.set(tag, users);
    else this.#wanted.delete(tag);
  }

  /** Of these steps all that can be drawn; undefined: of all again. */
  look(part: { since: number; until: number } | undefined): void {
    this.#part = part;
    if (this.#closer.size > 0) {
      this.#closer.clear();
      this.round.value++;
    }
    if (part) this.#do(() => this.#lookCloser());
  }

  refresh(): void {
    clearTimeout(this.#timer);
    this.#do(async () => {
      this.list.value = await ask<CurveList>('GET', curvesPath(this.#path));
      await this.#fill();
    });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#soon);
  }

  #do(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#closed) return;
      try {
        await work();
        this.problem.value = '';
      } catch (refused) {
        this.problem.value = refused instanceof Error ? refused.message : String(refused);
      }
      clearTimeout(this.#timer);
      if (this.#live && !this.#closed) this.#timer = setTimeout(() => this.#again(), pace);
    });
  }

  /** A tab that nobody sees asks for nothing; it goes on when it is back. */
  #again(): void {
    if (document.visibilityState === 'visible') this.refresh();
    else this.#timer = setTimeout(() => this.#again(), pace);
  }

  async #fill(): Promise<void> {
    const runs = this.list.peek()?.runs ?? [];
    const questions = missing(runs, this.#curves, new Set(this.#wanted.keys()), points);
    for (const question of questions) await this.#read(question);
    if (questions.length === 0) return;
    this.round.value++;
    if (this.#part) await this.#lookCloser();
  }

  async #read(question: Question): Promise<void> {
    const path = curvesPath(this.#path, question);
    const { curves } = await ask<CurveAnswer>('GET', path);
    for (const part of curves) {
      const key = keyOf(part.run, part.tag);
      const curve =
        question.since === undefined ? wholeCurve(part) : grownCurve(this.#curves.get(key), part);
      if (curve) this.#curves.set(key, curve);
    }
  }

  async #lookCloser(): Promise<void> {
    const part = this.#part;
    const thinned = new Set<string>();
    for (const [key, { written, steps }] of this.#curves) {
      const tag = key.slice(key.indexOf('\n') + 1);
      if (written > steps.length && this.#wanted.has(tag)) thinned.add(tag);
    }
    if (!part || thinned.size === 0) return;
    const question = { tags: [...thinned].slice(0, 20), runs: [], points, ...part };
    const { curves } = await ask<CurveAnswer>('GET', curvesPath(this.#path, question));
    if (part !== this.#part) return;
    for (const each of curves) {
      if (each.steps.length > 1) this.#closer.set(keyOf(each.run, each.tag), wholeCurve(each));
    }
    this.round.value++;
  }
}
