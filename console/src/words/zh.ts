import type { Words } from './en';

export const zh: Words = {
  title: '模型构建控制台',
  language: '语言',
  breadcrumb: '导航路径',

  live: '实时',
  lost: (since) => `与服务器的连接已于 ${since} 断开，正在重新连接；当前显示的内容可能已过时。`,
  retryNow: '立即重试',

  signedOut: '尚未登录',
  signedOutHow: '请在终端中运行以下命令，然后打开它给出的新登录链接：',
  signedOutThen: '登录后，本页面会自动继续。',

  jobs: 'Job',
  jobCount: (n) => `总共 ${n} 个 Job`,
  loading: '正在加载…',
  noJobs: '暂无数据',
  noJobsHow: '还没有 Job。提交第一个：',
  watchFailed: (reason) => `服务器拒绝提供 Job 列表：${reason}`,

  status: '状态',
  name: '名称',
  project: '项目',
  replicas: '副本',
  running: (running, total) => `${running}/${total} 运行中`,
  created: '创建时间',
  uid: 'UID',

  jobGone: (name, project) => `项目 ${project} 中没有名为 ${name} 的 Job。`,
  close: '返回列表',
  conditions: '状况',
  type: '类型',
  reason: '原因',
  message: '信息',
  lastTransition: '最近修改时间',
  none: '暂无数据',

  pod: 'Pod',
  phase: '阶段',
  exitCode: '退出码',
  restarts: '重启次数',
  chooseReplica: '选择显示日志的副本',

  log: '日志',
  logOf: (pod) => `${pod} 的日志`,
  logWaiting: '正在等待容器启动…',
  logFollowing: '实时',
  logEnded: '日志结束',
  logFailed: (reason) => `没有日志：${reason}`,
  logBounded: (lines) => `最近 ${lines.toLocaleString('zh-CN')} 行`,
  toEnd: '跳到末尾',

  secondsAgo: (n) => (n < 10 ? '几秒前' : `${n} 秒前`),
  minutesAgo: (n) => `${n} 分钟前`,
  hoursAgo: (n) => `${n} 小时前`,
  daysAgo: (n) => `${n} 天前`,
};
