#pragma once

#include "object/json/json.h"

#include <string>

namespace trainyard::bench {

/// A worker's pod of about 2 kB, as it is stored once it runs.
inline constexpr const char* kPod = R"json({"apiVersion":"v1","kind":"Pod","metadata":{
"name":"resnet50-imagenet-worker-17","namespace":"team-vision",
"uid":"2f0f3a2e-6a1c-4b53-9d0a-5d3f0c9b7e11","resourceVersion":"104217",
"creationTimestamp":"2026-11-16T04:12:09Z",
"labels":{"batch.tensorstack.dev/job-name":"resnet50-imagenet","batch.tensorstack.dev/task":"worker",
"batch.tensorstack.dev/index":"17","app.kubernetes.io/managed-by":"trainyard"},
"annotations":{"scheduling.k8s.io/group-name":"resnet50-imagenet","trainyard.dev/port":"29517"},
"ownerReferences":[{"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob",
"name":"resnet50-imagenet","uid":"0c1a9c55-3d0e-4d38-8f2e-97b0a9a2f6b4","controller":true,
"blockOwnerDeletion":true}]},
"spec":{"nodeName":"gpu-node-03","hostname":"resnet50-imagenet-worker-17","subdomain":"resnet50-imagenet",
"restartPolicy":"Never","schedulerName":"trainyard","terminationGracePeriodSeconds":30,
"containers":[{"name":"pytorch","image":"registry.example.com/vision/resnet50:2.4.1",
"command":["torchrun","--nnodes=32","--nproc-per-node=8","train.py"],
"args":["--data","/data/imagenet","--batch-size","256","--lr","0.1"],"workingDir":"/workspace",
"env":[{"name":"MASTER_ADDR","value":"resnet50-imagenet-worker-0.resnet50-imagenet"},
{"name":"MASTER_PORT","value":"29517"},{"name":"WORLD_SIZE","value":"32"},{"name":"RANK","value":"17"}],
"resources":{"limits":{"cpu":"32","memory":"256Gi","nvidia.com/gpu":"8"},
"requests":{"cpu":"32","memory":"256Gi","nvidia.com/gpu":"8"}},
"volumeMounts":[{"name":"data","mountPath":"/data","readOnly":true},{"name":"work","mountPath":"/workspace"}]}],
"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"imagenet"}},{"name":"work","emptyDir":{}}]},
"status":{"phase":"Running","podIP":"127.64.3.17","hostIP":"10.0.0.3","startTime":"2026-11-16T04:12:11Z",
"conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-11-16T04:12:10Z"},
{"type":"Ready","status":"True","lastTransitionTime":"2026-11-16T04:12:14Z"}],
"containerStatuses":[{"name":"pytorch","image":"registry.example.com/vision/resnet50:2.4.1","ready":true,
"started":true,"restartCount":0,"state":{"running":{"startedAt":"2026-11-16T04:12:12Z"}}}]}})json";

/// A ConfigMap of about 2 kB: few members, one long text.
inline std::string config_map_text() {
  std::string text = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings",)"
                     R"("namespace":"team-vision","uid":"2f0f3a2e-6a1c-4b53-9d0a-5d3f0c9b7e11",)"
                     R"("creationTimestamp":"2026-11-16T04:12:09Z"},"data":{"config.ini":")";
  while (text.size() < 2000) text += "threads = 16\\n";
  return text + "\"}}";
}

}  // namespace trainyard::bench
