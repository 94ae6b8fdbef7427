import { wordsOf } from '../i18n';

const en = {
  createSecret: 'Create Secret',
  createConfigMap: 'Create ConfigMap',
  noSecrets: 'There is no Secret in this project yet: passwords, tokens and keys that pods need.',
  noConfigMaps:
    'There is no ConfigMap in this project yet: settings and small files that pods need.',
  editing: (name: string) => `Edit ${name}`,
  edit: 'Edit',
  save: 'Save',
  badName:
    'A name has small letters, digits, dots and dashes, and begins and ends with a letter or digit.',
  immutable: 'It is immutable: it can only be deleted and made anew.',
  type: 'Type',
  types: {
    Opaque: 'Opaque: any keys and values',
    'kubernetes.io/dockerconfigjson': 'Docker config: the login to a registry of images',
    'kubernetes.io/ssh-auth': 'SSH key',
  },
  entries: 'Entries',
  key: 'Key',
  value: 'Value',
  size: 'Size',
  bytes: (n: number) => `${n} ${n === 1 ? 'byte' : 'bytes'}`,
  binary: (size: string) => `no text, ${size}; it stays as it is`,
  show: (key: string) => `Show ${key}`,
  hide: (key: string) => `Hide ${key}`,
  showAll: 'Show values',
  hideAll: 'Hide values',
  hidden: '(hidden)',
  registry: 'Registry',
  user: 'User',
  password: 'Password',
  email: 'E-mail',
  privateKey: 'Private key',
  required: 'This field is required.',
  keys: {
    missing: 'It needs a key.',
    letters: 'A key has letters, digits, dots, dashes and underscores.',
    twice: 'There is another one of this key.',
  },
  deleteText: (kind: string, name: string, project: string) =>
    `The ${kind} ${name} of project ${project} will be gone. Pods that run keep what they have; pods that are made later and need it do not start.`,
};

const zh: typeof en = {
  createSecret: '创建 Secret',
  createConfigMap: '创建 ConfigMap',
  noSecrets: '此项目中还没有 Secret。Secret 保存 Pod 所需的密码、令牌和密钥。',
  noConfigMaps: '此项目中还没有 ConfigMap。ConfigMap 保存 Pod 所需的配置和小文件。',
  editing: (name) => `编辑 ${name}`,
  edit: '编辑',
  save: '保存',
  badName: '名称由小写字母、数字、点和短横线组成，并以字母或数字开头和结尾。',
  immutable: '它不可修改，只能删除后重新创建。',
  type: '类型',
  types: {
    Opaque: 'Opaque：任意键和值',
    'kubernetes.io/dockerconfigjson': 'Docker config：镜像仓库的登录信息',
    'kubernetes.io/ssh-auth': 'SSH 密钥',
  },
  entries: '条目',
  key: '键',
  value: '值',
  size: '大小',
  bytes: (n) => `${n} 字节`,
  binary: (size) => `非文本，${size}，保持不变`,
  show: (key) => `显示 ${key}`,
  hide: (key) => `隐藏 ${key}`,
  showAll: '显示值',
  hideAll: '隐藏值',
  hidden: '（已隐藏）',
  registry: '镜像仓库',
  user: '用户名',
  password: '密码',
  email: '电子邮件',
  privateKey: '私钥',
  required: '此项为必填。',
  keys: {
    missing: '请填写键。',
    letters: '键由字母、数字、点、短横线和下划线组成。',
    twice: '此键已存在。',
  },
  deleteText: (kind, name, project) =>
    `项目 ${project} 的 ${kind} ${name} 将被删除。运行中的 Pod 不受影响；之后创建且需要它的 Pod 将无法启动。`,
};

export const configWords = wordsOf(en, zh);
