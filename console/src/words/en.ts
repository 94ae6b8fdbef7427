// Every word of the console. This table is the type: a key that zh.ts lacks is a type error.
// Names, phases, condition types, reasons and messages of the API stay as they are in both languages.

const count = (n: number, unit: string) => `${n} ${unit}${n === 1 ? '' : 's'}`;

export const en = {
  title: 'Build Console',
  language: 'Language',
  breadcrumb: 'Breadcrumb',

  live: 'Live',
  lost: (since: string) =>
    `The connection to the server was lost at ${since}. Reconnecting; what you see may be out of date.`,
  retryNow: 'Retry now',

  signedOut: 'You are not signed in',
  signedOutHow: 'Run this command in a terminal, and open the fresh login link that it prints:',
  signedOutThen: 'This page goes on by itself as soon as you are signed in.',

  jobs: 'Job',
  jobCount: (n: number) => count(n, 'job'),
  loading: 'Loading…',
  noJobs: 'No data',
  noJobsHow: 'There is no job yet. Submit the first one:',
  watchFailed: (reason: string) => `The server refuses the list of jobs: ${reason}`,

  status: 'Status',
  name: 'Name',
  project: 'Project',
  replicas: 'Replicas',
  running: (running: number, total: number) => `${running}/${total} running`,
  created: 'Created',
  uid: 'UID',

  jobGone: (name: string, project: string) => `There is no job ${name} in project ${project}.`,
  close: 'Back to the list',
  conditions: 'Conditions',
  type: 'Type',
  reason: 'Reason',
  message: 'Message',
  lastTransition: 'Last transition',
  none: 'No data',

  pod: 'Pod',
  phase: 'Phase',
  exitCode: 'Exit code',
  restarts: 'Restarts',
  chooseReplica: 'Replica whose log is shown',

  log: 'Log',
  logOf: (pod: string) => `Log of ${pod}`,
  logWaiting: 'Waiting for the container to start…',
  logFollowing: 'Following',
  logEnded: 'End of the log',
  logFailed: (reason: string) => `No log: ${reason}`,
  logBounded: (lines: number) => `the last ${lines.toLocaleString('en-GB')} lines`,
  toEnd: 'Jump to the end',

  secondsAgo: (n: number) => (n < 10 ? 'a few seconds ago' : `${count(n, 'second')} ago`),
  minutesAgo: (n: number) => `${count(n, 'minute')} ago`,
  hoursAgo: (n: number) => `${count(n, 'hour')} ago`,
  daysAgo: (n: number) => `${count(n, 'day')} ago`,
};

export type Words = typeof en;
