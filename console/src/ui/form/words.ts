import { wordsOf } from '../../i18n';

const en = {
  help: (label: string) => `Help: ${label}`,
  add: (label: string) => `Add: ${label}`,
  remove: (label: string, number: number) => `Remove: ${label} ${number}`,
  missing: 'This field is required.',
  notChosen: '-',
};

const zh: typeof en = {
  help: (label) => `说明：${label}`,
  add: (label) => `添加：${label}`,
  remove: (label, number) => `移除：${label} ${number}`,
  missing: '此项为必填。',
  notChosen: '-',
};

export const formWords = wordsOf(en, zh);
