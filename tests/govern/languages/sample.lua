local M = {}

local limit = 3

local function helper(x)
  local inner = "x"
  return inner
end

function M.ring(times)
  return helper(times)
end

function M:turn(by)
end

M.reset = function()
end

local handlers = {
  open = function()
  end,
  flag = true,
}

return M
