// Everything that Halyard offers to C++ programs.
#pragma once

#include "halyard/box.hpp"
#include "halyard/context.hpp"
#include "halyard/decomposition.hpp"
#include "halyard/exchange.hpp"
#include "halyard/exchange_kinds.hpp"
#include "halyard/field.hpp"
#include "halyard/options.hpp"
#include "halyard/path.hpp"
#include "halyard/pattern.hpp"
#include "halyard/plan.hpp"
#include "halyard/status.hpp"
#include "halyard/stream.hpp"
#include "halyard/version.hpp"
