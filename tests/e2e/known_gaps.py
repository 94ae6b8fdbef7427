"""What is not there yet: the beginning of a test's name, and why it fails. conftest.py expects these
tests to fail; one that passes must be taken off the list."""

QUOTA = "quotas are described, and neither counted nor enforced yet"
LIST = "kubectl asks for OpenAPI v2 in protobuf to check kind: List, which is not served"
TOGETHER = "rules between fields are looked at only when the schema finds nothing wrong"

GAPS = {
    "test_api_hardening::test_deep_nesting_is_refused[open yaml lists]":
        "YAML of three million open brackets takes 220 MB and a second before it is refused",
    "test_api_hardening::test_openapi_documents": "schemas of the group apps are named by it alone, not io.k8s.api.apps",
    "test_api_watch::test_versions_that_make_no_sense[query4]": "a watch accepts resourceVersionMatch without sendInitialEvents",
    "test_api_watch::test_a_version_of_the_future": "the answer has no cause ResourceVersionTooLarge",
    "test_api_watch::test_bookmarks_come_before_the_end": "bookmarks come each minute only",
    "test_authentication::test_a_pod_speaks_to_the_server_as_its_account": "pods get no service-account token yet",
    "test_crds::test_what_is_read_has_the_defaults_of_the_stored_version": "defaults are filled in when an object is written only",
    "test_crds::test_a_finalizer_of_an_object_holds_its_definition": "a definition that is being deleted has no condition Terminating",
    "test_data_folder::test_a_damaged_store_is_refused_in_words[a database of something else]":
        "a SQLite file of another program gets our tables beside its own",
    "test_data_folder::test_a_taken_port_names_the_process_and_the_flag": "the flag is named, the process is not",
    "test_kubectl_apply::test_a_list_of_objects_is_applied_and_pruned": LIST,
    "test_kubectl_apply::test_apply_of_what_is_wrong_names_every_wrong_field": TOGETHER,
    "test_kubectl_apply::test_apply_patches_that_are_refused[no kind]": "the missing apiVersion is named, the missing kind is not",
    "test_kubectl_get::test_raw_and_subresources": "scale has no table of its own",
    "test_kubectl_create::test_a_job_of_kubernetes": "batch/v1 Jobs have no controller yet",
    "test_kubectl_create::test_a_quota_holds": QUOTA,
    "test_kubectl_create::test_a_list_is_created_applied_and_deleted": LIST,
    "test_kubectl_create::test_repeated_keys": "a key that occurs twice is always refused, never only warned of",
    "test_kubectl_delete::test_a_finalizer_needs_a_qualified_name": "finalizers' names are not checked for a domain",
    "test_kubectl_delete::test_a_namespace_that_ends_takes_nothing_new_and_says_what_it_waits_for":
        "the conditions of an ending namespace are worded otherwise",
    "test_kubectl_describe::test_describe_a_namespace_with_quota_and_limits": QUOTA,
    "test_kubectl_describe::test_describe_a_quota": QUOTA,
    "test_kubectl_describe::test_explain_reaches_deep_fields[pod.spec.containers.resources.limits":
        "the text is found in the shared type's place only",
    "test_kubectl_rollout::test_expose_makes_a_service_with_endpoints": "Services get no Endpoints object yet",
    "test_python_client::test_errors_are_statuses": TOGETHER,
}
