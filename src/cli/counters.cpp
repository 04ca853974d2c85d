#include "cli/counters.h"

#if __has_include(<papi.h>)
#include <dlfcn.h>
#include <papi.h>

#include <memory>
#endif

namespace skelgen::cli {

#if __has_include(<papi.h>)
namespace {

template <typename Function>
bool load(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

struct Papi {
  decltype(PAPI_library_init)* library_init;
  decltype(PAPI_create_eventset)* create_eventset;
  decltype(PAPI_add_named_event)* add_named_event;
  decltype(PAPI_start)* start;
  decltype(PAPI_stop)* stop;
  decltype(PAPI_cleanup_eventset)* cleanup_eventset;
  decltype(PAPI_destroy_eventset)* destroy_eventset;
  decltype(PAPI_strerror)* strerror;
  decltype(PAPI_num_components)* num_components;
  decltype(PAPI_get_component_info)* component_info;

  bool load_from(void* library) {
    return load(library, "PAPI_library_init", library_init) && load(library, "PAPI_create_eventset", create_eventset) &&
           load(library, "PAPI_add_named_event", add_named_event) && load(library, "PAPI_start", start) &&
           load(library, "PAPI_stop", stop) && load(library, "PAPI_cleanup_eventset", cleanup_eventset) &&
           load(library, "PAPI_destroy_eventset", destroy_eventset) && load(library, "PAPI_strerror", strerror) &&
           load(library, "PAPI_num_components", num_components) &&
           load(library, "PAPI_get_component_info", component_info);
  }

  /// Why PAPI counts nothing of the processor; empty if it does.
  std::string disabled() const {
    for (int i = 0; i < num_components(); ++i)
      if (const auto* const info = component_info(i); info && std::string_view(info->name) == "perf_event")
        return info->disabled ? std::string(info->disabled_reason) : std::string();
    return "no component perf_event";
  }
};

CounterEvent probe(const Papi& papi, const std::string& name) {
  CounterEvent event{name, false, {}};
  int set = PAPI_NULL;
  int result = papi.create_eventset(&set);
  if (result == PAPI_OK) result = papi.add_named_event(set, name.c_str());
  if (result == PAPI_OK) result = papi.start(set);
  long long value = 0;
  if (result == PAPI_OK) result = papi.stop(set, &value);
  event.works = result == PAPI_OK;
  if (!event.works) {
    const char* text = papi.strerror(result);
    event.reason = text ? text : "error " + std::to_string(result);
  }
  if (set != PAPI_NULL) {
    papi.cleanup_eventset(set);
    papi.destroy_eventset(&set);
  }
  return event;
}

}  // namespace

Counters probe_counters(const std::vector<std::string>& events) {
  Counters counters;
  const auto version_here =
      std::to_string(PAPI_VERSION_MAJOR(PAPI_VERSION)) + "." + std::to_string(PAPI_VERSION_MINOR(PAPI_VERSION));
  const auto name = "libpapi.so." + version_here;
  counters.remedy = "apt install libpapi" + version_here;  // Debian's name of the package
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    counters.problem = name + " is not installed";
    return counters;
  }
  const std::unique_ptr<void, int (*)(void*)> closed_at_end(library, dlclose);
  Papi papi{};
  if (!papi.load_from(library)) {
    counters.problem = name + " lacks functions";
    return counters;
  }
  const int version = papi.library_init(PAPI_VER_CURRENT);
  if (version != PAPI_VER_CURRENT) {
    counters.problem = name + " cannot be initialized";
    return counters;
  }
  counters.version = std::to_string(PAPI_VERSION_MAJOR(version)) + "." + std::to_string(PAPI_VERSION_MINOR(version)) +
                     "." + std::to_string(PAPI_VERSION_REVISION(version));
  for (const auto& event : events) counters.events.push_back(probe(papi, event));
  counters.disabled = papi.disabled();
  return counters;
}

#else

Counters probe_counters(const std::vector<std::string>&) {
  return {{}, "skelgen was built without PAPI's header", "apt install libpapi-dev, build again", {}};
}

#endif

}  // namespace skelgen::cli
