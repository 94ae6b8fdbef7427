import { phaseWord } from '../jobs/job';

type Shape = 'dot' | 'ring' | 'tick' | 'cross' | 'pause' | 'question';

/** Colour and shape and word, so that no one depends on colour alone. */
const looks: Record<string, { shape: Shape; tone: string }> = {
  Running: { shape: 'dot', tone: 'green' },
  Active: { shape: 'dot', tone: 'green' },
  Ready: { shape: 'dot', tone: 'green' },
  Open: { shape: 'dot', tone: 'green' },
  Succeeded: { shape: 'tick', tone: 'dark-green' },
  Bound: { shape: 'tick', tone: 'dark-green' },
  Available: { shape: 'tick', tone: 'dark-green' },
  Pending: { shape: 'dot', tone: 'grey' },
  Creating: { shape: 'dot', tone: 'grey' },
  Initializing: { shape: 'dot', tone: 'grey' },
  Terminating: { shape: 'dot', tone: 'grey' },
  Deleted: { shape: 'ring', tone: 'grey' },
  Paused: { shape: 'pause', tone: 'grey' },
  Suspended: { shape: 'pause', tone: 'grey' },
  Closed: { shape: 'pause', tone: 'grey' },
  Failed: { shape: 'cross', tone: 'red' },
  Lost: { shape: 'cross', tone: 'red' },
  NotReady: { shape: 'cross', tone: 'red' },
  Resuming: { shape: 'dot', tone: 'blue' },
};

function Mark({ shape }: { shape: Shape }) {
  switch (shape) {
    case 'dot':
      return (
        <>
          <circle class="halo" cx="8" cy="8" r="8" />
          <circle class="body" cx="8" cy="8" r="4.5" />
        </>
      );
    case 'ring':
      return (
        <>
          <circle class="line" cx="8" cy="8" r="7" stroke-dasharray="3 2.5" />
          <path class="line" d="M5 8h6" />
        </>
      );
    case 'pause':
      return (
        <>
          <circle class="line" cx="8" cy="8" r="7" />
          <path class="line" d="M6 5v6M10 5v6" />
        </>
      );
    case 'question':
      return (
        <>
          <circle class="line" cx="8" cy="8" r="7" />
          <path class="line" d="M6 6.2a2 2 0 1 1 2.8 1.9q-.8.4-.8 1.2M8 11.6v.2" />
        </>
      );
    default:
      return (
        <>
          <circle class="body" cx="8" cy="8" r="8" />
          <path
            class="cut"
            d={shape === 'tick' ? 'M4.5 8.3l2.4 2.4 4.6-5' : 'M5 5l6 6M11 5l-6 6'}
          />
        </>
      );
  }
}

const failing = { shape: 'cross', tone: 'red' } as const;
const unknown = { shape: 'question', tone: 'grey' } as const;

function Icon({ phase }: { phase: string }) {
  // Reasons such as CrashLoopBackOff and ErrImagePull stand in a phase's place where they tell more.
  const { shape, tone } = looks[phase] ?? (/BackOff|Err/.test(phase) ? failing : unknown);
  return (
    <svg class={`icon ${tone}`} viewBox="0 0 16 16" aria-hidden="true">
      <Mark shape={shape} />
    </svg>
  );
}

/** The icon alone, for columns; its word is in the tooltip, and read aloud. */
export function PhaseIcon({ phase }: { phase: string }) {
  const word = phaseWord(phase);
  return (
    <span class="phase" title={word}>
      <Icon phase={phase} />
      <span class="hidden">{word}</span>
    </span>
  );
}

/** `text` where something tells more than the phase does. */
export function Phase({ phase, text }: { phase: string; text?: string }) {
  const word = text ?? phaseWord(phase);
  // The word stands beside the icon, so a screen reader needs only the word.
  return (
    <span class="phase" title={word}>
      <Icon phase={phase} />
      {word}
    </span>
  );
}
