/// jemalloc reads this when the program starts. One arena: all objects belong to one thread. What
/// is free goes back to the system soon: after a storm of jobs it is a third of all memory.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "narenas:1,dirty_decay_ms:100,muzzy_decay_ms:0";
}
