import { later } from '../ui/later';

/**
 * The stack of charts of what something uses; its code comes when it is first shown.
 *
 *   <MonitorPanel source={{ namespace, owner: job.metadata.uid }} start={…} finish={…} several />
 *   <MonitorPanel source={{ namespace, pod: name }} start={pod.status?.startTime} finish={…} />
 *   <MonitorPanel source={{ namespace: '', node: name }} several />
 *
 * `finish` is given once it has ended: then the curves stand still.
 */
export const MonitorPanel = later(async () => (await import('./monitor_panel')).MonitorPanel);
