import { wordsOf } from '../i18n';

const en = {
  makeNotebook: 'Create Notebook',
  makeTensorBoard: 'Create TensorBoard',
  fileSets: 'File sets',
  ssh: 'SSH',
  sshOn: 'SSH is asked for',
  cpuLimit: 'CPU (limit)',
  memoryLimit: 'Memory (limit)',
  claims: 'Volumes',
  pod: 'Pod',
  opening: 'Opening…',
  unknownName: 'This browser does not find the name of the app',
  unknownNameHow: (name: string) =>
    `Each app has a name of its own on this machine, ${name}. Chrome, Edge and Firefox know such names by themselves; for other browsers the file /etc/hosts needs this line:`,
  tryAnyway: 'Open it',
  notYet: 'It cannot be opened before it runs.',
  deleteNotebook: (name: string, project: string) =>
    `The Notebook ${name} of project ${project} and its pod will be gone, with what runs in it. Files on volumes stay; files beside them are lost.`,
  deleteBoard: (name: string, project: string) =>
    `The TensorBoard ${name} of project ${project} will be gone. The event files that it shows stay.`,
  noNotebooks:
    'There is no notebook in this project yet: JupyterLab in the browser, next to your data.',
  noBoards:
    'There is no TensorBoard in this project yet. Jobs that write event files can bring their own.',
  image: 'Image',
  podGone: 'It has no pod now.',

  boardImageHint:
    'On this machine TensorBoard runs in the environment that the image is mapped to.',
  imageType: 'Image type',
  imageMeans: (kind: string, folder: string) => `On this machine: ${kind} ${folder}`,
  imageMeansNothing:
    'On this machine no environment is mapped to this image: if the host has no JupyterLab, `trainyard notebook setup` makes one for images named *jupyter*.',
  homeClaim: 'Volume (PersistentVolumeClaim)',
  homeHelp: 'The home folder of the notebook: what is in it stays when the notebook is paused.',
  noHome: 'No volume holds the files of this notebook: they are lost when it is paused.',
  addHome: 'Add a volume',
  noClaims: 'There is no PersistentVolumeClaim in this project yet: create one under Volumes.',
  enableSsh: 'Enable SSH',
  noSsh:
    'This server has no SSH into notebooks: use the terminal of JupyterLab, or that of the pod.',
  template: 'Template',
  templateHelp: 'Requests are what the notebook is sure to get, limits what it may use at most.',
  templates: {
    small: 'Small, for light use',
    medium: 'Medium',
    large: 'Large',
    largeGpu: 'Large, with a GPU',
    custom: 'Custom',
  },
  dataVolumes: 'Data volumes',
  dataClaim: 'PersistentVolumeClaim',
};

const zh: typeof en = {
  makeNotebook: '创建 Notebook',
  makeTensorBoard: '创建 TensorBoard',
  fileSets: '文件集',
  ssh: 'SSH',
  sshOn: '已请求 SSH',
  cpuLimit: 'CPU（上限）',
  memoryLimit: '内存（上限）',
  claims: '存储卷',
  pod: 'Pod',
  opening: '正在打开…',
  unknownName: '此浏览器无法解析应用的名称',
  unknownNameHow: (name: string) =>
    `每个应用在本机都有自己的名称：${name}。Chrome、Edge 与 Firefox 能自行识别；其他浏览器需要在 /etc/hosts 中加入这一行：`,
  tryAnyway: '打开',
  notYet: '运行之后才能打开。',
  deleteNotebook: (name, project) =>
    `项目 ${project} 的 Notebook ${name} 及其 Pod 和其中运行的程序将被删除。存储卷中的文件会保留，其他文件会丢失。`,
  deleteBoard: (name, project) =>
    `项目 ${project} 的 TensorBoard ${name} 将被删除，它展示的事件文件会保留。`,
  noNotebooks: '本项目还没有 Notebook：在浏览器中使用 JupyterLab，数据就在旁边。',
  noBoards: '本项目还没有 TensorBoard。写入事件文件的 Job 可以自带一个。',
  image: '镜像',
  podGone: '目前没有 Pod。',

  boardImageHint: '在本机上，TensorBoard 运行在该镜像所映射的环境中。',
  imageType: '镜像类型',
  imageMeans: (kind, folder) => `在本机上：${kind} ${folder}`,
  imageMeansNothing:
    '本机没有为该镜像映射环境：如果主机上没有 JupyterLab，可运行 `trainyard notebook setup`，为名称含 jupyter 的镜像准备环境。',
  homeClaim: '存储卷（PersistentVolumeClaim）',
  homeHelp: 'Notebook 的主目录：暂停后其中的文件会保留。',
  noHome: '没有存储卷保存此 Notebook 的文件：暂停后文件会丢失。',
  addHome: '添加存储卷',
  noClaims: '本项目还没有 PersistentVolumeClaim：请先在“持久卷”页面创建。',
  enableSsh: '启用 SSH',
  noSsh: '此服务器不支持通过 SSH 访问 Notebook：请使用 JupyterLab 的终端或 Pod 的终端。',
  template: '模板',
  templateHelp: '请求量是 Notebook 一定能得到的资源，上限是最多可以使用的资源。',
  templates: {
    small: '小型，适合轻量使用',
    medium: '中型',
    large: '大型',
    largeGpu: '大型，带 GPU',
    custom: '自定义',
  },
  dataVolumes: '数据卷',
  dataClaim: 'PersistentVolumeClaim',
};

export const appWords = wordsOf(en, zh);
