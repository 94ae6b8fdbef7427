import { wordsOf } from '../i18n';

const en = {
  terminal: 'Terminal',
  terminalOf: (pod: string) => `Terminal in ${pod}`,
  container: 'Container',
  shell: 'Shell',
  connecting: 'Connecting…',
  connected: 'Connected',
  ended: (code: number) => `The shell has ended with exit code ${code}.`,
  lost: 'The connection is gone, and the shell with it.',
  noShell: (shell: string) => `There is no ${shell} in this container: choose another shell.`,
  again: 'Connect again',
};

const zh: typeof en = {
  terminal: '终端',
  terminalOf: (pod) => `${pod} 的终端`,
  container: '容器',
  shell: 'Shell',
  connecting: '正在连接…',
  connected: '已连接',
  ended: (code) => `Shell 已结束，退出码 ${code}。`,
  lost: '连接已断开，Shell 也随之结束。',
  noShell: (shell) => `此容器中没有 ${shell}，请选择其他 Shell。`,
  again: '重新连接',
};

export const terminalWords = wordsOf(en, zh);
